//! Amounts that may be written in several units, or as a word.

use super::written::{Refusal, parse, text_schema, units};
use crate::suggest;
use crate::unit_hint::unit_hint;
use schemars::{Schema, json_schema};
use serde::de::{self, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use windward_sim as sim;
use windward_units::{Bytes, Duration, Packets, Quantity, split};

/// Buffer size: "200 packets", "125 kB", "100 ms" or "unlimited".
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Buffer(pub sim::Buffer);

/// Timeout of delayed ACKs, or `false`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DelayedAck(pub Option<Duration>);

/// Base round-trip time given to a law: a value, or computed from the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KnownBaseRtt {
    /// Propagation and transmission along the route and back.
    Path,
    /// The least sample, with that of the handshake among them.
    Handshake,
    /// A given value.
    Of(Duration),
}

/// Threshold K, the backlog as which a shorter queue counts: "shared", "recent", a number of packets, or 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Threshold(pub sim::backpressure::Threshold);

/// Receive window in packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ReceiveWindow {
    /// Number of segments.
    Packets(u32),
    /// Number of bytes.
    Bytes(Bytes),
}

/// Unit of a text, which selects the quantity.
fn unit(text: &str) -> &str {
    split(text).1
}

/// Returns true for a text that is a word, where a quantity is expected.
pub(super) fn is_word(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_alphabetic())
}

fn is_unit<T: Quantity>(unit: &str) -> bool {
    units::<T>().any(|name| name == unit)
}

pub(super) fn whole_packets(text: &str) -> Result<u64, Refusal> {
    let count = parse::<Packets>(text)?.count();
    if count.fract() == 0.0 { Ok(count as u64) } else { Err(Refusal::new(format!("`{text}` is not a whole number"))) }
}

impl Buffer {
    fn read(text: &str) -> Result<Self, Refusal> {
        let unit = unit(text);
        Ok(Self(if text.trim() == "unlimited" {
            sim::Buffer::Unlimited
        } else if is_unit::<Packets>(unit) {
            sim::Buffer::Packets(whole_packets(text)?)
        } else if is_unit::<Bytes>(unit) {
            sim::Buffer::Bytes(parse(text)?)
        } else if is_unit::<Duration>(unit) {
            sim::Buffer::Time(parse(text)?)
        } else {
            let hint =
                unit_hint::<Packets>(unit).or_else(|| unit_hint::<Bytes>(unit)).or_else(|| unit_hint::<Duration>(unit));
            let hint = hint.or_else(|| suggest::nearest(unit, ["unlimited"]).map(suggest::did_you_mean));
            let message = format!(
                "`{text}` is not a buffer size; give packets, bytes or time, such as \"200 packets\", \"125 kB\" or \
                 \"100 ms\", or \"unlimited\""
            );
            return Err(Refusal::new(message).hint(hint));
        }))
    }
}

impl Threshold {
    fn read(text: &str) -> Result<Self, Refusal> {
        match text.trim() {
            "shared" => return Ok(Self(sim::backpressure::Threshold::Shared)),
            "recent" => return Ok(Self(sim::backpressure::Threshold::Recent)),
            _ => {}
        }
        if !is_unit::<Packets>(unit(text)) {
            let message = format!(
                "`{text}` is not a threshold; write \"shared\", \"recent\", packets such as \"50 packets\", or 0"
            );
            let unit = unit(text);
            let shared = || suggest::nearest(unit, ["shared", "recent"]).map(suggest::did_you_mean);
            return Err(Refusal::new(message).hint(unit_hint::<Packets>(unit).or_else(shared)));
        }
        Ok(Self(sim::backpressure::Threshold::Fixed(parse::<Packets>(text)?.count())))
    }
}

impl ReceiveWindow {
    fn read(text: &str) -> Result<Self, Refusal> {
        if is_unit::<Bytes>(unit(text)) {
            return parse(text).map(Self::Bytes);
        }
        if !is_unit::<Packets>(unit(text)) {
            let message = format!(
                "`{text}` is not a receive window; give packets or bytes, such as \"1000 packets\" or \"1 MB\""
            );
            let unit = unit(text);
            return Err(Refusal::new(message).hint(unit_hint::<Packets>(unit).or_else(|| unit_hint::<Bytes>(unit))));
        }
        let packets = whole_packets(text)?;
        u32::try_from(packets).map(Self::Packets).map_err(|_| Refusal::new(format!("`{text}` is too large")))
    }
}

struct BufferVisitor;
struct DelayedAckVisitor;
struct KnownBaseRttVisitor;
struct ReceiveWindowVisitor;
struct ThresholdVisitor;

impl Visitor<'_> for BufferVisitor {
    type Value = Buffer;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a buffer with its unit, such as \"200 packets\", \"125 kB\", \"100 ms\" or \"unlimited\"")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Buffer, E> {
        Buffer::read(text).map_err(E::custom)
    }
}

impl Visitor<'_> for DelayedAckVisitor {
    type Value = DelayedAck;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the timeout of delayed ACKs, such as \"40 ms\", or false")
    }
    fn visit_bool<E: de::Error>(self, is_on: bool) -> Result<DelayedAck, E> {
        if is_on { Err(E::invalid_value(Unexpected::Bool(true), &self)) } else { Ok(DelayedAck(None)) }
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<DelayedAck, E> {
        if is_word(text) {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        match parse(text).map_err(E::custom)? {
            Duration::ZERO => {
                Err(E::custom("a delayed ACK needs a timeout above zero; to disable delayed ACKs, write `false`"))
            }
            wait => Ok(DelayedAck(Some(wait))),
        }
    }
}

impl Visitor<'_> for KnownBaseRttVisitor {
    type Value = KnownBaseRtt;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration with its unit, such as \"100 ms\", \"path\" or \"handshake\"")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<KnownBaseRtt, E> {
        match text {
            "path" => Ok(KnownBaseRtt::Path),
            "handshake" => Ok(KnownBaseRtt::Handshake),
            word if is_word(word) => Err(E::invalid_value(Unexpected::Str(word), &self)),
            text => match parse(text).map_err(E::custom)? {
                Duration::ZERO => Err(E::custom("the round-trip time must be above zero")),
                rtt => Ok(KnownBaseRtt::Of(rtt)),
            },
        }
    }
}

impl Visitor<'_> for ThresholdVisitor {
    type Value = Threshold;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"shared\", \"recent\", packets such as \"50 packets\", or 0")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Threshold, E> {
        Threshold::read(text).map_err(E::custom)
    }
    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Threshold, E> {
        u64::try_from(count)
            .map_err(|_| E::invalid_value(Unexpected::Signed(count), &self))
            .and_then(|n| self.visit_u64(n))
    }
    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Threshold, E> {
        match count {
            0 => Ok(Threshold(sim::backpressure::Threshold::Fixed(0.0))),
            _ => Err(E::invalid_value(Unexpected::Unsigned(count), &self)),
        }
    }
}

impl Visitor<'_> for ReceiveWindowVisitor {
    type Value = ReceiveWindow;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a receive window with its unit, such as \"1000 packets\" or \"1 MB\"")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<ReceiveWindow, E> {
        ReceiveWindow::read(text).map_err(E::custom)
    }
}

impl Serialize for Buffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            sim::Buffer::Unlimited => serializer.serialize_str("unlimited"),
            sim::Buffer::Packets(count) => serializer.collect_str(&format_args!("{count} packets")),
            sim::Buffer::Bytes(bytes) => serializer.collect_str(&bytes),
            sim::Buffer::Time(time) => serializer.collect_str(&time),
        }
    }
}

impl Serialize for DelayedAck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(wait) => serializer.collect_str(&wait),
            None => serializer.serialize_bool(false),
        }
    }
}

impl Serialize for KnownBaseRtt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Path => serializer.serialize_str("path"),
            Self::Handshake => serializer.serialize_str("handshake"),
            Self::Of(rtt) => serializer.collect_str(rtt),
        }
    }
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            sim::backpressure::Threshold::Shared => serializer.serialize_str("shared"),
            sim::backpressure::Threshold::Recent => serializer.serialize_str("recent"),
            sim::backpressure::Threshold::Fixed(packets) => serializer.collect_str(&Packets::new(packets)),
        }
    }
}

impl Serialize for ReceiveWindow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Packets(count) => serializer.collect_str(&format_args!("{count} packets")),
            Self::Bytes(bytes) => serializer.collect_str(bytes),
        }
    }
}

fn buffer_schema() -> Schema {
    let units: Vec<_> = units::<Packets>().chain(units::<Bytes>()).chain(units::<Duration>()).collect();
    text_schema(&units, &["unlimited"], &["200 packets", "125 kB", "100 ms", "unlimited"])
}

fn delayed_ack_schema() -> Schema {
    let wait = text_schema(&units::<Duration>().collect::<Vec<_>>(), &[], &["40 ms"]);
    json_schema!({ "anyOf": [wait, { "const": false }] })
}

fn known_base_rtt_schema() -> Schema {
    text_schema(&units::<Duration>().collect::<Vec<_>>(), &["path", "handshake"], &["100 ms", "path", "handshake"])
}

fn threshold_schema() -> Schema {
    let text = text_schema(
        &units::<Packets>().collect::<Vec<_>>(),
        &["shared", "recent"],
        &["shared", "recent", "50 packets"],
    );
    json_schema!({ "anyOf": [text, { "const": 0 }] })
}

fn receive_window_schema() -> Schema {
    let units: Vec<_> = units::<Packets>().chain(units::<Bytes>()).collect();
    text_schema(&units, &[], &["1000 packets", "1 MB"])
}

read_and_describe! {
    Buffer by BufferVisitor => |buffer| buffer, buffer_schema();
    DelayedAck by DelayedAckVisitor => |wait| wait, delayed_ack_schema();
    KnownBaseRtt by KnownBaseRttVisitor => |rtt| rtt, known_base_rtt_schema();
    ReceiveWindow by ReceiveWindowVisitor => |window| window, receive_window_schema();
    Threshold by ThresholdVisitor => |threshold| threshold, threshold_schema();
}
