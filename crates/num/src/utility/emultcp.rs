//! U_r of chen2007 (18)–(19): the utility that E-MULTCP's smooth approximation maximises.
//!
//! h(z) = (ε+z) tanh(βz/2), z the congestion price of the path; x = √2 S/(T √h(z)), so U′(x) = h⁻¹(2S²/(T²x²)).
//!
//! **Where we differ** from the text: x* = √2 S/(T √(f·(ε+g))), with f inside the root; and the integral starts at
//! √2 S/T, not at 0 where it diverges.

/// The utility with its constants folded.
pub(super) struct Emultcp {
    /// 2S²/T².
    scale: f64,
    loss: f64,
    half_beta: f64,
}

impl Emultcp {
    /// `scale`: 2S²/T².
    pub(super) fn new(scale: f64, loss: f64, beta: f64) -> Self {
        Self { scale, loss, half_beta: 0.5 * beta }
    }

    /// h(z) and h′(z).
    fn h(&self, z: f64) -> (f64, f64) {
        let t = libm::tanh(self.half_beta * z);
        ((self.loss + z) * t, t + (self.loss + z) * self.half_beta * (1.0 - t * t))
    }

    /// x at price z, and −dx/dz.
    pub(super) fn response(&self, z: f64) -> (f64, f64) {
        let (h, slope) = self.h(z);
        let x = (self.scale / h).sqrt();
        (x, 0.5 * x * slope / h)
    }

    /// z with h(z) = 2S²/(T²x²).
    pub(super) fn derivative(&self, x: f64) -> f64 {
        let target = self.scale / (x * x);
        // h(z) ≤ ε+z and h(z) ≤ (ε+z)βz/2 bound z from below; h(z) ≥ z tanh(βz/2) from above.
        let mut low = (target - self.loss).max(0.0);
        let mut high = target.max((target / self.half_beta).sqrt()) * 2.0;
        let mut z = if low > 0.0 { low } else { (low + high) / 2.0 };
        for _ in 0..MAX_STEPS {
            let (h, slope) = self.h(z);
            if h < target {
                low = z;
            } else {
                high = z;
            }
            let newton = z - (h - target) / slope;
            // Geometric bisection: z may range over many powers of ten.
            let next = match newton > low && newton < high {
                true => newton,
                false if low > 0.0 => (low * high).sqrt(),
                false => high / 16.0,
            };
            if (next - z).abs() <= 2.0 * f64::EPSILON * z {
                return next;
            }
            z = next;
        }
        z
    }

    /// ∫ U′ from √2 S/T to x: with U′ = z and ν(z) = √(2S²/(T²h(z))), ∫z dν = [zν] − ∫ν dz, the last in ln z.
    pub(super) fn value(&self, x: f64) -> f64 {
        let from = self.derivative(self.scale.sqrt());
        let to = self.derivative(x);
        let rate = |z: f64| self.response(z).0;
        let (a, b) = (libm::log(from), libm::log(to));
        let panels = ((b - a).abs() / PANEL).ceil().max(1.0);
        let width = (b - a) / panels;
        let mut integral = 0.0;
        let mut k = 0.0;
        while k < panels {
            let middle = a + (k + 0.5) * width;
            for (node, weight) in GAUSS {
                for sign in [-1.0, 1.0] {
                    let z = libm::exp(middle + sign * node * 0.5 * width);
                    integral += weight * 0.5 * width * rate(z) * z;
                }
            }
            k += 1.0;
        }
        to * rate(to) - from * rate(from) - integral
    }
}

/// Bisections and Newton steps together; 60 halvings of the logarithm reach the last bit.
const MAX_STEPS: usize = 200;
/// Width of a panel in ln z: tanh and the roots are analytic there, 10 points leave an error near 1e-14.
const PANEL: f64 = 0.5;
/// Gauss–Legendre, 10 points on [−1, 1]: positive nodes and weights (Abramowitz, Stegun, Table 25.4).
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_21, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_36),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];
