//! A session without cryptography, whose messages have the sizes of TLS 1.3's: QUIC in virtual time, the same bytes at
//! every run.
//!
//! The two sides exchange their transport parameters and nothing secret. Packets keep the room of an authentication
//! tag, so that sizes on the wire are those of an encrypted connection. Not for real networks: everybody can read it.

use super::api::{self, Id};
use super::proto::crypto::{
    CryptoError, ExportKeyingMaterialError, HeaderKey, HmacKey, KeyPair, Keys, PacketKey, Session,
};
use super::proto::transport_parameters::TransportParameters;
use super::proto::{ConnectionId, ConnectionIdGenerator, Side, TransportError};
use bytes::{Buf, BytesMut};
use std::any::Any;

/// Bytes of an AEAD's tag (RFC 9001 §5.3), and of a sample for header protection (§5.4.2).
const TAG: usize = 16;
/// Messages of a handshake in bytes: ClientHello with an X25519 share, ServerHello, and Finished.
const CLIENT_HELLO: usize = 300;
const SERVER_HELLO: usize = 90;
const FINISHED: usize = 36;
/// Bytes of a resumed server's flight behind its ServerHello: EncryptedExtensions and Finished.
const RESUMED: usize = 140;

/// Configuration of both sides.
#[derive(Clone, Copy, Debug)]
pub struct Null {
    /// Bytes of the server's flight behind its ServerHello: the certificate's chain is most of it.
    pub certificate: usize,
    /// True to resume a session: the client sends data with its first flight, and the server's has no certificate.
    pub is_resumed: bool,
}

impl Default for Null {
    /// A chain of two certificates, 3000 bytes: the server's first flight stays within three times the client's first
    /// datagram (RFC 9000 §8.1).
    fn default() -> Self {
        Self { certificate: 3000, is_resumed: false }
    }
}

/// Next step of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The client writes its ClientHello.
    ClientHello,
    /// The server waits for the ClientHello.
    AwaitClientHello,
    /// The client waits for the ServerHello.
    AwaitServerHello,
    /// The server writes its ServerHello, and has handshake keys from then on.
    ServerHello,
    /// The client has read the ServerHello, and has handshake keys.
    HandshakeKeys,
    /// The server writes its certificate and Finished, and has application keys from then on.
    ServerFlight,
    /// The client waits for the server's flight.
    AwaitServerFlight,
    /// The client writes Finished, and has application keys from then on.
    ClientFinished,
    /// The server waits for the client's Finished.
    AwaitClientFinished,
    /// Nothing is left to say.
    Done,
}

/// One side of a handshake.
pub(crate) struct Handshake {
    side: Side,
    config: Null,
    step: Step,
    /// Own parameters, as they are sent.
    own: Vec<u8>,
    peer: Option<TransportParameters>,
    /// Bytes of a message that has not arrived whole.
    unread: Vec<u8>,
}

impl Handshake {
    pub(crate) fn new(side: Side, config: Null, params: &TransportParameters) -> Self {
        let mut own = Vec::new();
        params.write(&mut own);
        // Both sides have the same limits, so that the client remembers its own as the server's.
        let peer = (config.is_resumed && side.is_client()).then_some(*params);
        let step = if side.is_client() { Step::ClientHello } else { Step::AwaitClientHello };
        Self { side, config, step, own, peer, unread: Vec::new() }
    }

    /// Takes a message out of what has arrived: a length of four bytes, that of the parameters in it, the parameters,
    /// and padding.
    fn message(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(head) = self.unread.get(..8) else { return Ok(None) };
        let (mut head, all) = (head, &self.unread);
        let (length, inner) = (head.get_u32() as usize, head.get_u32() as usize);
        if length < 8 + inner {
            return Err(api::violation("a message shorter than what is in it"));
        }
        if all.len() < length {
            return Ok(None);
        }
        let inner = all[8..8 + inner].to_vec();
        self.unread.drain(..length);
        Ok(Some(inner))
    }

    fn write(&self, size: usize, with_parameters: bool, buf: &mut Vec<u8>) {
        let inner: &[u8] = if with_parameters { &self.own } else { &[] };
        let begin = buf.len();
        let length = size.max(8 + inner.len());
        buf.extend_from_slice(&(length as u32).to_be_bytes());
        buf.extend_from_slice(&(inner.len() as u32).to_be_bytes());
        buf.extend_from_slice(inner);
        buf.resize(begin + length, 0);
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _dst_cid: Id<'_>, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.peer.is_some().then(|| Box::new(()) as Box<dyn Any>)
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.config.is_resumed.then(|| (Box::new(Key) as _, Box::new(Key) as _))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.config.is_resumed.then_some(true)
    }

    fn is_handshaking(&self) -> bool {
        !matches!(self.step, Step::ClientFinished | Step::Done)
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.unread.extend_from_slice(buf);
        let Some(inner) = self.message()? else { return Ok(false) };
        let (next, has_parameters) = match self.step {
            Step::AwaitClientHello => (Step::ServerHello, true),
            Step::AwaitServerHello => (Step::HandshakeKeys, false),
            Step::AwaitServerFlight => (Step::ClientFinished, true),
            Step::AwaitClientFinished => (Step::Done, false),
            _ => return Err(api::violation("a message out of turn")),
        };
        self.step = next;
        if has_parameters {
            self.peer = Some(TransportParameters::read(self.side, &mut &inner[..])?);
        }
        Ok(has_parameters)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let (next, has_keys) = match self.step {
            Step::ClientHello => {
                self.write(CLIENT_HELLO, true, buf);
                (Step::AwaitServerHello, false)
            }
            Step::ServerHello => {
                self.write(SERVER_HELLO, false, buf);
                (Step::ServerFlight, true)
            }
            Step::HandshakeKeys => (Step::AwaitServerFlight, true),
            Step::ServerFlight => {
                let size = if self.config.is_resumed { RESUMED } else { self.config.certificate };
                self.write(size, true, buf);
                (Step::AwaitClientFinished, true)
            }
            Step::ClientFinished => {
                self.write(FINISHED, false, buf);
                (Step::Done, true)
            }
            waiting => (waiting, false),
        };
        self.step = next;
        has_keys.then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(Key), remote: Box::new(Key) })
    }

    fn is_valid_retry(&self, _orig_dst_cid: Id<'_>, _header: &[u8], _payload: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

/// A key that changes nothing.
pub(crate) struct Key;

pub(crate) fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
        packet: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
    }
}

impl Key {
    /// Bytes of a packet's tag.
    pub(crate) const TAG: usize = TAG;

    /// Takes the tag away from what a packet carries.
    pub(crate) fn open(payload: &mut BytesMut) -> Result<(), CryptoError> {
        let kept = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(kept);
        Ok(())
    }
}

impl HeaderKey for Key {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

/// Signatures and tokens of an endpoint: sums, the same at every run.
pub struct Tokens;

/// Fowler, Noll and Vo's sum (FNV-1a, 64 bits).
fn sum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl HmacKey for Tokens {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        for (block, out) in signature_out.chunks_mut(8).enumerate() {
            let bytes = (sum(data) ^ block as u64).to_be_bytes();
            out.copy_from_slice(&bytes[..out.len()]);
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let mut wanted = [0; 32];
        self.sign(data, &mut wanted);
        if signature == wanted { Ok(()) } else { Err(CryptoError) }
    }
}

impl Tokens {
    /// Appends a tag.
    pub(crate) fn close(data: &mut Vec<u8>) {
        data.extend_from_slice(&[0; TAG]);
    }

    /// Length without the tag.
    pub(crate) fn opened(data: &[u8]) -> Result<usize, CryptoError> {
        data.len().checked_sub(TAG).ok_or(CryptoError)
    }
}

/// Connection ids of eight bytes, one after the other from `from`.
pub struct Counted {
    /// The next one.
    pub from: u64,
}

impl ConnectionIdGenerator for Counted {
    fn generate_cid(&mut self) -> ConnectionId {
        let id = ConnectionId::new(&self.from.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
        self.from += 1;
        id
    }

    fn cid_len(&self) -> usize {
        8
    }

    fn cid_lifetime(&self) -> Option<std::time::Duration> {
        None
    }
}
