//! User-defined laws among the known ones: [`Law`] without its constants, which a trait object cannot have.

use crate::{Ack, Congestion, Law, Needs, Start};
use windward_units::{PacketRate, Packets, Time};

/// A user-defined law, behind a pointer.
pub struct External {
    pub(crate) own: Box<dyn Object>,
    pub(crate) needs: Needs,
}

impl External {
    /// Boxes a law.
    pub(crate) fn new<L: Law + Send + 'static>(law: L) -> Self {
        Self { own: Box::new(law), needs: L::NEEDS }
    }
}

/// Makes the object-safe part of [`Law`] of its methods.
macro_rules! object {
    ($(fn $method:ident(&$($mutable:ident)?; $($argument:ident: $type:ty)?) $(-> $answer:ty)?;)*) => {
        /// The methods of [`Law`], without its constants.
        pub(crate) trait Object: Send {
            $(fn $method(&$($mutable)? self $(, $argument: $type)?) $(-> $answer)?;)*
        }

        impl<L: Law + Send> Object for L {
            $(fn $method(&$($mutable)? self $(, $argument: $type)?) $(-> $answer)? {
                Law::$method(self $(, $argument)?)
            })*
        }
    };
}

object! {
    fn on_start(&mut; start: &Start);
    fn on_ack(&mut; ack: &Ack);
    fn on_congestion(&mut; event: &Congestion);
    fn cwnd(&;) -> Packets;
    fn pacing_rate(&;) -> Option<PacketRate>;
    fn send_quantum(&;) -> u32;
    fn on_restart(&mut; now: Time);
    fn on_idle(&mut; cwnd: Packets);
    fn remember(&mut; ssthresh: Packets) -> bool;
    fn on_undo(&mut; before: Packets);
    fn observe(&; sink: &mut dyn FnMut(&str, f64));
}
