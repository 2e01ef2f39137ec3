//! Properties that all PPDUs of a network share, and the rates of its stations.

use super::check::Check;
use super::profile::Defaults;
use crate::format::Positive;
use crate::format::wifi::{FixedRate, RateControl};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::wifi::StationConfig;
use windward_sim::wifi::edca::RateChoice;
use windward_sim::wifi::minstrel::Capabilities;
use windward_sim::wifi::ppdu::{Format, Guard, Impossible, Mode as Rate, Width};
use windward_units::Frequency;

/// PPDUs of a network: what all its rates have in common.
pub(super) struct Air {
    pub format: Format,
    pub width: Width,
    pub streams: u8,
    pub guard: Guard,
}

impl Check<'_> {
    /// Band of the channel.
    pub(super) fn band(&mut self, format: Format) -> Option<Band> {
        let Some(band) = self.wifi.band else { return Some(Band::Middle) };
        let megahertz = band.0.as_hertz() / 1e6;
        let found = match megahertz as u32 {
            2_400 => Some(Band::Low),
            5_000 => Some(Band::Middle),
            6_000 => Some(Band::High),
            _ => None,
        };
        let is_allowed = match format {
            Format::Ht => matches!(found, Some(Band::Low | Band::Middle)),
            Format::Vht => found == Some(Band::Middle),
            Format::He => found.is_some(),
        };
        if !is_allowed {
            let allowed = match format {
                Format::Ht => "\"2.4 GHz\", \"5 GHz\"",
                Format::Vht => "\"5 GHz\"",
                Format::He => "\"2.4 GHz\", \"5 GHz\", \"6 GHz\"",
            };
            let message = format!("{} has no channels at {}; allowed: {allowed}", standard_name(format), band.0);
            self.refuse(["band".into()], message, None);
            return None;
        }
        found
    }

    /// Format, width, streams and guard interval of the network's PPDUs.
    pub(super) fn air(&mut self, format: Format) -> Option<Air> {
        let wifi = self.wifi;
        let widest = if format == Format::Ht { Width::Mhz40 } else { Width::Mhz160 };
        let default = if format == Format::Ht { Width::Mhz20 } else { Width::Mhz80 };
        let width = self.width(wifi.width, default, &["width".into()])?;
        let is_low = format != Format::Vht && wifi.band.is_some_and(|band| band.0.as_hertz() < 3e9);
        if width > widest || is_low && width > Width::Mhz40 {
            let most = if is_low { 40 } else { widest.mhz() };
            let message = format!(
                "{} has no channels of {} MHz{}; the widest has {most} MHz",
                standard_name(format),
                width.mhz(),
                if is_low { " at 2.4 GHz" } else { "" }
            );
            self.refuse(["width".into()], message, Some(&format!("width = \"{most} MHz\"")));
            return None;
        }
        let streams = wifi.streams.map_or(2, |count| count.0);
        if streams > 4 {
            let message = format!("{streams} spatial streams are too many; allowed: 1 to 4");
            self.refuse(["streams".into()], message, None);
            return None;
        }
        let shortest = if format == Format::He { Guard::Ns800 } else { Guard::Ns400 };
        let guard = match wifi.guard_interval {
            None => shortest,
            Some(span) => {
                let allowed: &[(u64, Guard)] = match format {
                    Format::Ht | Format::Vht => &[(400, Guard::Ns400), (800, Guard::Ns800)],
                    Format::He => &[(800, Guard::Ns800), (1600, Guard::Ns1600), (3200, Guard::Ns3200)],
                };
                let found = allowed.iter().find(|(nanos, _)| *nanos == span.0.as_nanos());
                let Some(&(_, guard)) = found else {
                    let names: Vec<String> = allowed.iter().map(|(nanos, _)| format!("\"{nanos} ns\"")).collect();
                    let message = format!(
                        "{} has no guard interval of {}; allowed: {}",
                        standard_name(format),
                        span.0,
                        names.join(", ")
                    );
                    self.refuse(["guard_interval".into()], message, None);
                    return None;
                };
                guard
            }
        };
        Some(Air { format, width, streams: streams as u8, guard })
    }

    fn width(&mut self, given: Option<Positive<Frequency>>, default: Width, path: &[Segment]) -> Option<Width> {
        let Some(width) = given else { return Some(default) };
        let found = Width::ALL.into_iter().find(|known| f64::from(known.mhz()) * 1e6 == width.0.as_hertz());
        if found.is_none() {
            let message = format!("channels of {} do not exist", width.0);
            let hint = "allowed: \"20 MHz\", \"40 MHz\", \"80 MHz\", \"160 MHz\"".to_owned();
            self.problems.add(self.path(path), message, Some(hint));
        }
        found
    }

    /// Fixed rates of what each station sends and of what is sent to it.
    pub(super) fn rates(
        &mut self,
        air: &Air,
        stations: &[StationConfig],
        defaults: &Defaults,
    ) -> Vec<[Option<RateChoice>; 2]> {
        let of_all = self.wifi.rate_control.clone().map(|control| control.0).or_else(|| defaults.rate_control.clone());
        let of_all = of_all.and_then(|control| self.choice(air, &control, &["rate_control".into()]));
        let mut known: BTreeMap<usize, [Option<RateChoice>; 2]> = BTreeMap::new();
        let mut rates = Vec::new();
        for station in stations {
            let Some((index, table)) = self.station_of(station.node) else {
                rates.push([of_all, None]);
                continue;
            };
            if let Some(&same) = known.get(&index) {
                rates.push(same);
                continue;
            }
            let (sends, receives) = (table.rate_control.clone(), table.receive_rate.clone());
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let own = sends.and_then(|control| self.choice(air, &control.0, &inside("rate_control")));
            let to = receives.and_then(|fixed| self.rate(air, &fixed, &inside("receive_rate")));
            let of_station = [own.or(of_all), to.map(RateChoice::Fixed)];
            known.insert(index, of_station);
            rates.push(of_station);
        }
        rates
    }

    /// Choice of a rate.
    fn choice(&mut self, air: &Air, control: &RateControl, path: &[Segment]) -> Option<RateChoice> {
        match control {
            RateControl::IdealRate(_) => Some(RateChoice::Ideal),
            RateControl::MinstrelHt(_) if air.width == Width::Mhz160 => {
                let message = "Minstrel-HT has no rates of 160 MHz";
                self.problems.add(self.path(path), message, Some("width = \"80 MHz\", or \"ideal\"".to_owned()));
                None
            }
            RateControl::MinstrelHt(_) => {
                let most = Capabilities::new(air.format, air.width, air.streams);
                Some(RateChoice::Minstrel(Capabilities { guard: air.guard, ..most }))
            }
            RateControl::FixedRate(fixed) => self.rate(air, fixed, path).map(RateChoice::Fixed),
        }
    }

    /// One rate, which the standard must have.
    fn rate(&mut self, air: &Air, fixed: &FixedRate, path: &[Segment]) -> Option<Rate> {
        let inside = |key: &'static str| -> Vec<Segment> { path.iter().cloned().chain([key.into()]).collect() };
        let width = self.width(fixed.width, air.width, &inside("width"))?;
        if width > air.width {
            let message = format!("PPDUs of {} MHz do not fit into a channel of {} MHz", width.mhz(), air.width.mhz());
            self.problems.add(self.path(&inside("width")), message, None);
            return None;
        }
        let streams = fixed.streams.map_or(u32::from(air.streams), |count| count.0);
        let mcs = u8::try_from(fixed.mcs).unwrap_or(u8::MAX);
        match Rate::new(air.format, width, u8::try_from(streams).unwrap_or(u8::MAX), air.guard, mcs) {
            Ok(rate) => Some(rate),
            Err(why) => {
                let name = standard_name(air.format);
                let (key, message, hint) = match why {
                    Impossible::Streams => ("streams", format!("{streams} spatial streams: {why}"), None),
                    Impossible::Width(_) => ("width", format!("{name}: {why}"), None),
                    Impossible::Mcs(highest) => {
                        let ht = (air.format == Format::Ht && fixed.mcs < 32).then(|| {
                            format!(
                                "mcs = {}, streams = {}: MCS count per stream here",
                                fixed.mcs % 8,
                                fixed.mcs / 8 + 1
                            )
                        });
                        let message = format!("{name} has no MCS {}; allowed: 0 to {highest}", fixed.mcs);
                        ("mcs", message, ht)
                    }
                    Impossible::Combination(lower) => {
                        let message = format!(
                            "{name} has no MCS {mcs} at {} MHz with {streams} spatial {}",
                            width.mhz(),
                            if streams == 1 { "stream" } else { "streams" }
                        );
                        ("mcs", message, Some(format!("mcs = {lower}")))
                    }
                    Impossible::Guard(_) => ("mcs", why.to_string(), None),
                };
                self.problems.add(self.path(&inside(key)), message, hint);
                None
            }
        }
    }
}

/// Band of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Band {
    /// 2.4 GHz.
    Low,
    /// 5 GHz.
    Middle,
    /// 6 GHz.
    High,
}

/// Name of the standard of a format.
pub(super) const fn standard_name(format: Format) -> &'static str {
    match format {
        Format::Ht => "802.11n",
        Format::Vht => "802.11ac",
        Format::He => "802.11ax",
    }
}
