//! Kinds of applications over connections, declared once.

/// Passes all kinds to a macro. Each has a name, a configuration, a state at run time, tables of rows and tables of
/// series of its own. `network` makes the configuration of any kind of it, `apps` the state and the list of tables.
macro_rules! applications {
    ($then:ident) => {
        $then! {
            /// Requests with responses of a size.
            Requests(RequestsConfig, Requests, [], []),
            /// Transfers that come and go.
            Session(SessionConfig, Session, [], []),
            /// A video player, one chunk after the other.
            Video(Arc<VideoConfig>, Player, [VideoStats], [ChunkLog]),
            /// A browser, which asks for the objects of a page as it discovers them.
            Page(Arc<PageConfig>, Page, [PageStats], [VisitLog, ObjectLog]),
        }
    };
}
