//! A-MPDUs, A-MSDUs and BlockAck sessions.

use super::air::standard_name;
use super::check::Check;
use super::edca::MPDU_BYTES;
use super::profile::Defaults;
use crate::format::wifi::AfterLoss;
use windward_sim::wifi::edca::BlockAckConfig;
use windward_sim::wifi::ppdu::{Format, Limits};
use windward_units::{Bytes, Duration};

/// Longest A-MSDU of 802.11n, longest MPDU of it within an A-MPDU, and longest MPDU of 802.11ac and ax (IEEE
/// 802.11-2020, table 9-25).
const HT_AMSDU: u64 = 7935;
const HT_MPDU: u64 = 4095;
const VHT_MPDU: u64 = 11_454;
/// Longest spacing of MPDUs that a receiver may ask for.
const LONGEST_SPACING: Duration = Duration::from_micros(16);

impl Check<'_> {
    /// Limits of A-MPDUs; `Some((None,))` without aggregation.
    pub(super) fn ampdu(&mut self, format: Format, defaults: &Defaults) -> Option<(Option<Limits>,)> {
        let (most, standard) = (Limits::most(format), defaults.ampdu);
        let Some(given) = &self.wifi.ampdu else { return Some((Some(standard),)) };
        let frames = given.mpdus.map_or(standard.frames, |count| u64::from(count.0));
        let bytes = given.bytes.map_or(standard.bytes, |bytes| bytes.0.count());
        let duration = given.duration.map_or(standard.duration, |span| span.0);
        let before = self.problems.len();
        let mut must = |holds: bool, key: &'static str, message: String| {
            if !holds {
                self.refuse(["ampdu".into(), key.into()], message, None);
            }
        };
        let name = standard_name(format);
        let text = format!("{frames} MPDUs are too many; allowed in {name}: 1 to {}", most.frames);
        must(frames <= most.frames, "mpdus", text);
        must(
            bytes <= most.bytes,
            "bytes",
            format!("{bytes} B are too many; allowed in {name}: up to {} B", most.bytes),
        );
        let text = format!("{duration} is too long; allowed: up to {}, what a header can announce", most.duration);
        must(duration <= most.duration, "duration", text);
        let spacing = given.spacing.map_or(Duration::ZERO, |span| span.0);
        must(spacing <= LONGEST_SPACING, "spacing", format!("{spacing} is too long; allowed: up to {LONGEST_SPACING}"));
        if frames == 1 {
            self.refuse_aggregation();
        }
        let limits = (frames > 1).then_some(Limits { frames, bytes, duration });
        (self.problems.len() == before).then_some((limits,))
    }

    /// Refuses limits of A-MPDUs and keys of BlockAck sessions where each frame is acknowledged on its own.
    fn refuse_aggregation(&mut self) {
        let wifi = self.wifi;
        let ampdu = wifi.ampdu.as_ref().map(|own| [own.bytes.is_some(), own.duration.is_some(), own.spacing.is_some()]);
        let block_ack = wifi.block_ack.as_ref().map(|own| {
            [own.window.is_some(), own.attempts.is_some(), own.after_loss.is_some(), own.reorder_timeout.is_some()]
        });
        let ampdu = ["bytes", "duration", "spacing"].into_iter().zip(ampdu.into_iter().flatten());
        let block_ack =
            ["window", "attempts", "after_loss", "reorder_timeout"].into_iter().zip(block_ack.into_iter().flatten());
        let all = ampdu.map(|own| ("ampdu", own)).chain(block_ack.map(|own| ("block_ack", own)));
        for (table, (key, _)) in all.filter(|(_, (_, is_given))| *is_given) {
            let message = format!("`{key}` has no effect without aggregation: `mpdus` is 1");
            self.refuse([table.into(), key.into()], message, Some("leave it out, or raise `ampdu.mpdus`"));
        }
    }

    /// Most bytes of an A-MSDU.
    pub(super) fn amsdu(&mut self, format: Format, ampdu: Option<(Option<Limits>,)>) -> Option<Bytes> {
        let Some(given) = self.wifi.amsdu else { return Some(Bytes::new(0)) };
        let is_low = self.wifi.band.is_some_and(|band| band.0.as_hertz() < 3e9);
        let (most, of) = match format {
            Format::Ht if matches!(ampdu, Some((None,))) => (HT_AMSDU, ""),
            Format::Ht => (HT_MPDU - MPDU_BYTES, " within A-MPDUs"),
            Format::He if is_low => (HT_AMSDU, " at 2.4 GHz"),
            Format::Vht | Format::He => (VHT_MPDU - MPDU_BYTES, ""),
        };
        if given.0.count() > most {
            let message = format!(
                "A-MSDUs of {} B are too long; allowed in {}{of}: up to {most} B",
                given.0.count(),
                standard_name(format)
            );
            self.refuse(["amsdu".into()], message, Some(&format!("amsdu = \"{most} B\"")));
            return None;
        }
        Some(given.0)
    }

    pub(super) fn block_ack(&mut self, format: Format, defaults: &Defaults) -> Option<BlockAckConfig> {
        let most = if format == Format::He { 256 } else { 64 };
        let (attempts, after_loss) = (defaults.attempts, defaults.after_loss.of_sim());
        let standard = BlockAckConfig { attempts, after_loss, ..BlockAckConfig::linux(most) };
        let Some(given) = &self.wifi.block_ack else { return Some(standard) };
        let window = given.window.map_or(most, |count| count.0);
        let frames = self.wifi.ampdu.as_ref().and_then(|ampdu| ampdu.mpdus).map_or(0, |count| count.0);
        if given.window.is_some() && frames > window {
            let message = format!("{frames} MPDUs exceed the window of the BlockAck, {window}");
            self.refuse(["ampdu".into(), "mpdus".into()], message, Some("raise `block_ack.window`"));
        }
        if window > most {
            let name = standard_name(format);
            let message = format!("a window of {window} MPDUs is too large; allowed in {name}: 1 to {most}");
            self.refuse(["block_ack".into(), "window".into()], message, None);
            return None;
        }
        Some(BlockAckConfig {
            window,
            attempts: given.attempts.map_or(standard.attempts, |count| Some(count.0)),
            after_loss: given.after_loss.map_or(standard.after_loss, AfterLoss::of_sim),
            reorder_timeout: given.reorder_timeout.map_or(standard.reorder_timeout, |span| span.0),
        })
    }
}
