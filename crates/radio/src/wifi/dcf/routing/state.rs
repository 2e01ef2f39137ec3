//! Routing protocols at run time.

use super::aodv::AodvRouting;
use super::backpressure::Backpressure;
use super::dsdv::DsdvRouting;
use crate::wifi::dcf::mac;

/// An 802.11 network at run time, with the routing protocol of its configuration.
pub type Wifi = mac::Wifi<Routing>;

/// Routing protocol of all stations at run time.
#[derive(Debug)]
pub enum Routing {
    Dsdv(Box<DsdvRouting>),
    Aodv(Box<AodvRouting>),
    Backpressure(Box<Backpressure>),
}
