//! RTP streams: frames of an encoder whose bit rate follows the receiver's feedback, and the laws that choose it. All
//! of it is arithmetic on times that the caller gives.

mod any;
mod config;
mod control;
mod encoder;
mod gcc;
mod nada;
mod packets;
mod picture;
mod scream;

pub use any::AnyControl;
pub use config::{ReportRule, RtpConfig, RtpControl, report_bytes};
pub use control::{Control, Feedback};
pub use encoder::Encoder;
pub use packets::{PacketLog, Report};
pub use picture::Picture;
