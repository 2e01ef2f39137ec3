//! The fluid form of both laws: their drift as a rate of change.

/// Turns `Params` of a law, with a `drift` and the field `$backlog`, into the settings of a sender and a fluid law. The
/// arguments that follow are the theory of this law alone.
macro_rules! backlog_law {
    ($backlog:ident $($own:tt)*) => {
        impl From<Params> for $crate::backlog::Settings {
            fn from(params: Params) -> Self {
                Self { drift: params.drift(), mode: params.mode }
            }
        }

        impl $crate::FluidLaw for Params {
            fn derivative(&self, state: &[f64], path: &$crate::FluidPath, out: &mut [f64]) {
                out[0] = self.drift().derivative(state[0], path);
            }

            fn equilibrium(&self, path: &$crate::FluidPath) -> Option<windward_units::Packets> {
                self.drift().equilibrium(path)
            }

            fn time_unit(&self) -> $crate::TimeUnit {
                $crate::TimeUnit::Steps
            }

            fn adds_losses(&self) -> bool {
                true
            }

            fn backlog(&self) -> Option<windward_units::Packets> {
                Some(windward_units::Packets::new(self.$backlog))
            }

            fn backlog_parameter(&self) -> Option<&'static str> {
                Some(stringify!($backlog))
            }

            $($own)*
        }
    };
}
pub(crate) use backlog_law;
