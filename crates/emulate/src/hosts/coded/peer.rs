//! The sink's kernel, as its own packets show it: what ACKs in its name have to say.

use crate::tcp::{Acknowledgement, RST, Segment, Timestamps};

/// State of the sink's kernel as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peer {
    /// Its address and the source's, and their ports; `None` before it has answered the SYN.
    ends: Option<Ends>,
    /// Next sequence number.
    sequence: u32,
    /// Its window, as its last segment had it.
    window: u16,
    /// Its clock, where the connection has timestamps.
    clock: Option<u32>,
    has_sack: bool,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    from: u32,
    to: u32,
    ports: [u16; 2],
}

impl Peer {
    /// It has sent a segment.
    pub(super) fn see(&mut self, segment: &Segment, packet: &[u8]) {
        if segment.flags & RST != 0 {
            return;
        }
        let options = segment.options(packet);
        if segment.is_syn() {
            // The window of a SYN is never shifted (RFC 7323 §2.2); the next segment's is.
            self.has_sack = options.is_sack_permitted;
        }
        self.ends = Some(Ends { from: segment.from, to: segment.to, ports: segment.ports });
        self.sequence = segment.numbers().end;
        self.clock = options.timestamps.map(|stamps| stamps.value);
        if !segment.is_syn() {
            self.window = segment.window;
        } else {
            let shift = options.window_shift.unwrap_or(0);
            self.window = (segment.window >> shift).max(1);
        }
    }

    /// An ACK in its name of everything before `acknowledged` and of the ranges in `sack`, with the timestamp `echo` of
    /// what it acknowledges. `None` before the connection is there.
    pub(super) fn acknowledge<'a>(
        &self,
        acknowledged: u32,
        sack: &'a [(u32, u32)],
        echo: Option<u32>,
    ) -> Option<Acknowledgement<'a>> {
        let Ends { from, to, ports } = self.ends?;
        let timestamps = self.clock.zip(echo).map(|(value, echo)| Timestamps { value, echo });
        let sack = if self.has_sack { sack } else { &[] };
        Some(Acknowledgement {
            from,
            to,
            ports,
            sequence: self.sequence,
            acknowledged,
            window: self.window,
            timestamps,
            sack,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A SYN-ACK of Linux with a window of 65160 and a shift of 7, then an ACK.
    #[test]
    fn the_last_segment_counts() {
        let mut packet = vec![0u8; 60];
        packet[0] = 0x45;
        packet[3] = 60;
        packet[9] = 6;
        packet[23] = 9;
        packet[27] = 100;
        packet[32] = 10 << 4;
        packet[33] = 0x12;
        packet[34..36].copy_from_slice(&65160u16.to_be_bytes());
        packet[40..60].copy_from_slice(&[2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7]);
        let mut peer = Peer::default();
        assert_eq!(peer.acknowledge(5, &[], None), None);
        let see = |peer: &mut Peer, packet: &[u8]| peer.see(&Segment::read(packet).expect("a segment"), packet);
        see(&mut peer, &packet);
        let ack = peer.acknowledge(5, &[(7, 9)], Some(3)).expect("it is known");
        assert_eq!((ack.sequence, ack.window, ack.sack), (101, 509, &[(7, 9)][..]));
        assert_eq!(ack.timestamps, Some(Timestamps { value: 9, echo: 3 }));
        // An ACK without data or options: the connection has no timestamps then.
        packet[33] = 0x10;
        packet[27] = 101;
        packet[32] = 5 << 4;
        packet[3] = 40;
        packet[34..36].copy_from_slice(&77u16.to_be_bytes());
        see(&mut peer, &packet[..40]);
        let ack = peer.acknowledge(5, &[], Some(3)).expect("it is known");
        assert_eq!((ack.sequence, ack.window, ack.timestamps), (101, 77, None));
    }
}
