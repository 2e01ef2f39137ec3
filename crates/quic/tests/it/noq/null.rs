//! A session of noq without cryptography: the two sides exchange their transport parameters.

use bytes::{Buf, BytesMut};
use noq_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair, Keys,
    PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId, Side, TransportError, TransportErrorCode};
use std::any::Any;

/// Bytes of an AEAD's tag (RFC 9001 §5.3).
const TAG: usize = 16;

/// Configuration of both sides.
#[derive(Clone, Copy)]
pub struct Null;

impl ClientConfig for Null {
    fn start_session(&self, _: u32, _: &str, own: &TransportParameters) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(Handshake::new(Side::Client, own)))
    }
}

impl ServerConfig for Null {
    fn initial_keys(&self, _: u32, _: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(&self, _: u32, own: &TransportParameters) -> Box<dyn Session> {
        Box::new(Handshake::new(Side::Server, own))
    }
}

/// One side: a message of its parameters as it begins, one with handshake keys, and an empty one with application keys.
struct Handshake {
    side: Side,
    own: Vec<u8>,
    peer: Option<TransportParameters>,
    unread: Vec<u8>,
    /// Messages written and read.
    written: usize,
    read: usize,
}

impl Handshake {
    fn new(side: Side, parameters: &TransportParameters) -> Self {
        let mut own = Vec::new();
        parameters.write(&mut own);
        Self { side, own, peer: None, unread: Vec::new(), written: 0, read: 0 }
    }

    fn put(&mut self, content: &[u8], buf: &mut Vec<u8>) {
        buf.extend_from_slice(&(content.len() as u32).to_be_bytes());
        buf.extend_from_slice(content);
        self.written += 1;
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _: ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.peer.is_some().then(|| Box::new(()) as Box<dyn Any>)
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    /// A side is done as it has read the peer's last message.
    fn is_handshaking(&self) -> bool {
        self.read < 2
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.unread.extend_from_slice(buf);
        let Some(mut head) = self.unread.get(..4) else { return Ok(false) };
        let length = head.get_u32() as usize;
        if self.unread.len() < 4 + length {
            return Ok(false);
        }
        let content: Vec<u8> = self.unread.drain(..4 + length).skip(4).collect();
        self.read += 1;
        if self.read > 2 {
            return Err(TransportError::new(
                TransportErrorCode::PROTOCOL_VIOLATION,
                "a message out of turn".to_owned(),
            ));
        }
        if self.read == 1 {
            self.peer = Some(TransportParameters::read(self.side, &mut &content[..])?);
        }
        Ok(self.read == 1)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let own = self.own.clone();
        match (self.side, self.written, self.read) {
            (Side::Client, 0, _) => {
                self.put(&own, buf);
                None
            }
            // The parameters of the server come with its initial keys: its handshake keys follow.
            (Side::Server, 0, 1) => {
                self.put(&own, buf);
                Some(keys())
            }
            (Side::Server, 1, 1) => {
                self.put(&[0; 3000], buf);
                Some(keys())
            }
            (Side::Client, 1, 1) => {
                self.written += 1;
                Some(keys())
            }
            (Side::Client, 2, 2) => {
                self.put(&[0; 36], buf);
                Some(keys())
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(Key), remote: Box::new(Key) })
    }

    fn is_valid_retry(&self, _: ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

/// A key that changes nothing.
struct Key;

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
        packet: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
    }
}

impl PacketKey for Key {
    fn encrypt(&self, _: PathId, _: u64, _: &mut [u8], _: usize) {}

    fn decrypt(&self, _: PathId, _: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let kept = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(kept);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for Key {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

/// Signatures and tokens of an endpoint, which no test reads.
pub struct Tokens;

impl HmacKey for Tokens {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        let sum = data.iter().fold(7_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte));
        signature_out.fill(sum);
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

impl HandshakeTokenKey for Tokens {
    fn seal(&self, _: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG]);
        Ok(())
    }

    fn open<'a>(&self, _: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        let kept = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&data[..kept])
    }
}
