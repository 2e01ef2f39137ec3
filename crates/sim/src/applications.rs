//! Kinds of applications over connections, declared once.

/// Passes all kinds to a macro: the name of each, its configuration, its state at run time, its tables of rows and its
/// tables of series. `network/app.rs` makes the configuration of any kind of it, `apps/client.rs` the client of any
/// kind and the list of tables; paths are theirs.
macro_rules! applications {
    ($then:ident) => {
        $then! {
            /// Requests with responses of a size.
            Requests(super::requests::RequestsConfig, super::requests::Requests, [], []),
            /// Transfers that come and go.
            Session(super::session::SessionConfig, super::session::Session, [], []),
            /// A video player, one chunk after the other.
            Video(
                Arc<windward_traffic::video::VideoConfig>,
                windward_traffic::video::Player,
                [super::video::VideoStats],
                [super::video::ChunkLog]
            ),
            /// A browser, which asks for the objects of a page as it discovers them.
            Page(
                Arc<windward_traffic::page::PageConfig>,
                super::page::Page,
                [super::visits::PageStats],
                [super::visits::VisitLog, super::visits::ObjectLog]
            ),
        }
    };
}
