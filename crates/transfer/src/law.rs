//! The law for the number of connections, as one text: `emultcp-fast` or `emultcp(tau=5, gamma=0.2)`.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use windward_laws::emultcp::{Kind, Params};

use crate::options::Typed;

/// Parameters that a download lets choose; the others are those of hosts.
const PARAMETERS: [&str; 5] = ["tau", "alpha", "beta", "gamma", "min_rtt_window"];

/// A law and the parameters that were given; all others are the law's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Law(Params);

impl Law {
    /// The law with all parameters.
    pub(crate) const fn params(&self) -> Params {
        self.0
    }
}

impl Default for Law {
    fn default() -> Self {
        Self(Params::of(Kind::Fast))
    }
}

impl FromStr for Law {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, given) = match text.trim().split_once('(') {
            None => (text.trim(), ""),
            Some((name, rest)) => {
                (name.trim(), rest.strip_suffix(')').ok_or_else(|| format!("{text:?} has no closing bracket"))?)
            }
        };
        let names = Kind::ALL.map(Kind::name).join(", ");
        let kind = Kind::named(name).ok_or_else(|| format!("no law is called {name:?}; there are {names}"))?;
        let mut params = Params::of(kind);
        for pair in given.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (parameter, value) = pair
                .split_once('=')
                .map_or((pair, None), |(parameter, value)| (parameter.trim(), value.trim().parse::<f64>().ok()));
            let place = match parameter {
                "tau" => &mut params.tau,
                "alpha" => &mut params.alpha,
                "beta" => &mut params.beta,
                "gamma" => &mut params.gamma,
                "min_rtt_window" => &mut params.min_rtt_window,
                _ => return Err(format!("{parameter:?} is no parameter; there are {}", PARAMETERS.join(", "))),
            };
            *place = value.ok_or_else(|| format!("{pair:?} is not PARAMETER=NUMBER, such as tau=5"))?;
        }
        params.check().map_err(|(parameter, reason)| format!("{parameter}: {reason}"))?;
        Ok(Self(params))
    }
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Typed for Law {
    const KIND: &'static str = "str";

    fn value(&self) -> Value {
        self.0.law.name().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_are_not_given_are_the_laws_own() {
        let paper: Law = "emultcp(tau=5, gamma = 0.1)".parse().expect("it is a law");
        assert_eq!(paper.params(), Params { tau: 5.0, gamma: 0.1, ..Params::of(Kind::Paper) });
        assert_eq!("emultcp-fast".parse(), Ok(Law::default()));
        assert_eq!("emultcp-fast()".parse(), Ok(Law::default()));
    }

    #[test]
    fn other_texts_are_refused_with_what_is_allowed() {
        let refused = |text: &str| text.parse::<Law>().expect_err("it is no law");
        assert!(refused("reno").contains("there are emultcp, multfrc, emultcp-fast"));
        assert!(refused("emultcp(tau=5").contains("closing bracket"));
        assert!(refused("emultcp(max=5)").contains("there are tau, alpha"));
        assert!(refused("emultcp(tau=fast)").contains("PARAMETER=NUMBER"));
        assert_eq!(refused("emultcp(beta=2)"), "beta: 2 is not between 0.01 and 0.99");
    }
}
