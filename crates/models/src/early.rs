//! Queue disciplines that drop or mark before the buffer is full, for the fluid engine.

use windward_fluid::{Early, Ecn, Rule};
use windward_sim::{EcnMode, Network, QueueConfig, RedConfig};

/// ECN capability of a flow's packets.
pub(crate) fn ecn(mode: EcnMode) -> Ecn {
    match mode {
        EcnMode::Off => Ecn::Off,
        EcnMode::Classic | EcnMode::Accurate => Ecn::Classic,
        EcnMode::Scalable => Ecn::Scalable,
    }
}

/// Early drops and marks of each port's queue; `None` for drop-tail. FQ-CoDel and CAKE are not modelled per flow here.
pub(crate) fn early(network: &Network) -> Vec<Option<Early>> {
    (0..network.topology.ports.len() as u32).map(|port| at(network, port)).collect()
}

fn at(network: &Network, port: u32) -> Option<Early> {
    let never = f64::INFINITY;
    let to_delay = |delay: f64, marks| Early { rule: Rule::Delay(delay), marks, hard: never };
    Some(match network.topology.discipline(port) {
        // Policers are refused before: `FluidError::Policer`.
        QueueConfig::DropTail | QueueConfig::Policer(_) => return None,
        QueueConfig::Red(RedConfig { min, max, probability, is_gentle, marks, drops_hard, .. }) => {
            let rule = Rule::Red { min, max, probability, is_gentle };
            Early { rule, marks, hard: if drops_hard { max } else { never } }
        }
        QueueConfig::CoDel(config) => to_delay(config.target.as_secs(), config.marks),
        QueueConfig::FqCoDel(config) => to_delay(config.codel.target.as_secs(), config.codel.marks),
        QueueConfig::Cake(config) => to_delay(config.target.as_secs(), config.marks),
        QueueConfig::Pie(config) => to_delay(config.target.as_secs(), config.marks),
        QueueConfig::L4Span(config) => {
            let mut crossing = network.flows.iter().filter(|flow| flow.forward.ports().any(|other| other == port));
            // What it cannot mark fills the buffer.
            if crossing.any(|flow| flow.tcp.ecn == EcnMode::Off) {
                return None;
            }
            to_delay(config.threshold.as_secs(), true)
        }
        QueueConfig::DualPi2(config) => {
            let mut crossing = network.flows.iter().filter(|flow| flow.forward.ports().any(|other| other == port));
            match crossing.all(|flow| flow.tcp.ecn == EcnMode::Scalable) {
                // Their own queue is the only one.
                true => to_delay(config.threshold.as_secs(), true),
                false => {
                    let rule = Rule::Coupled { delay: config.target.as_secs(), coupling: config.coupling };
                    Early { rule, marks: true, hard: never }
                }
            }
        }
    })
}
