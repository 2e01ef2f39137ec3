//! Noise and fading.

use super::check::Check;
use super::reach::watts;
use windward_sim::wifi::{Fading, Modulation, WifiConfig};

impl Check<'_> {
    /// Noise of the table.
    pub fn fading(&self) -> Option<Fading> {
        let noise = self.wifi.noise.as_ref()?;
        Some(Fading { noise: watts(noise.power.0), is_rayleigh: noise.rayleigh })
    }

    /// Checks that noise has known modulations.
    pub fn modulations(&mut self, config: &WifiConfig) {
        if config.fading.is_none() {
            return;
        }
        let rates = config.stations.iter().map(|station| station.data_rate).chain([config.mac.basic_rate]);
        let unknown = rates.into_iter().find(|&rate| Modulation::of(config.phy.coding, rate).is_none());
        if let Some(rate) = unknown {
            let message = format!("no error rate is known for {rate}: noise needs the standard's own rates");
            self.refuse(["noise".into()], message, None);
        }
    }
}
