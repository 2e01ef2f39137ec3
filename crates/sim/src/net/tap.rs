//! Interface of a recorder of packets and frames.

use std::io;
use windward_elements::packet::Packet;
use windward_radio::air::AirFrame;
use windward_units::Time;

/// Observer of the packets that flows' sources send and receive, and of the frames on the air.
pub trait Tap {
    /// Records `packet`, which a flow's source sends or receives.
    fn packet(&mut self, now: Time, packet: &Packet, is_outgoing: bool);

    /// Records a frame at the end of its transmission.
    fn frame(&mut self, frame: &AirFrame);

    /// Ends the recording.
    ///
    /// # Errors
    /// The error that ended it early, if any.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
