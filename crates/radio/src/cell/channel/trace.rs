//! Measured signal-to-noise ratios as comma-separated text with a header. The columns `time_s` and `snr_db`, in seconds
//! and decibels, are read; others are ignored. Samples are equidistant.

use std::fmt;
use windward_elements::csv::cells;
use windward_units::Duration;

/// Tolerance of a sample's time, in sampling intervals: recorded clocks have few digits.
const SLACK: f64 = 0.05;

/// Measured signal-to-noise ratios.
#[derive(Clone, Debug, PartialEq)]
pub struct SnrTrace {
    /// Samples in decibels.
    pub samples: Vec<f64>,
    /// Sampling interval.
    pub interval: Duration,
}

/// Error of a trace's text.
#[derive(Clone, Debug, PartialEq)]
pub struct SnrTraceError {
    /// Line number, from 1.
    pub line: usize,
    /// Problem of the line.
    pub problem: SnrTraceProblem,
}

/// Problem of a trace's line.
#[derive(Clone, Debug, PartialEq)]
pub enum SnrTraceProblem {
    /// The header lacks this column.
    NoColumn(&'static str),
    /// A column without a finite number.
    Number {
        /// Name of the column.
        column: &'static str,
        /// Text in its place; empty if the line is too short.
        text: String,
    },
    /// Fewer than two samples, without a sampling interval.
    TooFew,
    /// The last sample is not after the first.
    Backwards,
    /// A sample off the sampling grid.
    Uneven {
        /// Its time, in seconds.
        time: f64,
        /// Expected time, in seconds.
        expected: f64,
    },
}

impl fmt::Display for SnrTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            SnrTraceProblem::NoColumn(column) => {
                write!(f, "there is no column `{column}`; the header names the columns, such as time_s,snr_db")
            }
            SnrTraceProblem::Number { column, text } => write!(f, "`{column}` is not a number: `{text}`"),
            SnrTraceProblem::TooFew => f.write_str("fewer than two samples"),
            SnrTraceProblem::Backwards => f.write_str("the last sample is not after the first"),
            SnrTraceProblem::Uneven { time, expected } => write!(
                f,
                "a sample at {time} s; it should be at {expected} s, for samples are a constant time apart, which is \
                 taken from the first and the last"
            ),
        }
    }
}

impl std::error::Error for SnrTraceError {}

impl SnrTrace {
    /// Reads comma-separated values. Empty lines are skipped.
    ///
    /// # Errors
    /// See [`SnrTraceProblem`].
    pub fn from_csv(text: &str) -> Result<Self, SnrTraceError> {
        let error = |line, problem| SnrTraceError { line, problem };
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (header_line, header) = lines.next().unwrap_or((1, ""));
        let place = |column| {
            let place = cells(header).iter().position(|name| name == column);
            place.ok_or_else(|| error(header_line, SnrTraceProblem::NoColumn(column)))
        };
        let columns = [("time_s", place("time_s")?), ("snr_db", place("snr_db")?)];
        let row = |(line, text): (usize, &str)| {
            let cells = cells(text);
            let number = |(column, place): (_, usize)| {
                let text = cells.get(place).map_or("", |cell| cell);
                let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| error(line, SnrTraceProblem::Number { column, text: text.to_owned() }))
            };
            Ok((line, number(columns[0])?, number(columns[1])?))
        };
        let rows: Vec<(usize, f64, f64)> = lines.map(row).collect::<Result<_, _>>()?;
        let [(_, begin, _), .., (end_line, end, _)] = rows[..] else {
            return Err(error(rows.last().map_or(header_line, |row| row.0), SnrTraceProblem::TooFew));
        };
        let distance = (end - begin) / (rows.len() - 1) as f64;
        let interval = Duration::from_secs(distance.max(0.0));
        if interval == Duration::ZERO {
            return Err(error(end_line, SnrTraceProblem::Backwards));
        }
        for (at, &(line, time, _)) in rows.iter().enumerate() {
            let expected = begin + at as f64 * distance;
            if (time - expected).abs() > SLACK * distance {
                return Err(error(line, SnrTraceProblem::Uneven { time, expected }));
            }
        }
        Ok(Self { samples: rows.iter().map(|row| row.2).collect(), interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let text = "time_s,cell,snr_db\n10.0,A,-1.5\n10.1, A, 20\n\n10.201,B,7e0\r\n10.3,B,3\n";
        let trace = SnrTrace::from_csv(text).expect("a trace");
        assert_eq!(trace, SnrTrace { samples: vec![-1.5, 20.0, 7.0, 3.0], interval: Duration::from_millis(100) });
        let quoted = "\"time_s\",\"cell\",\"snr_db\"\n10.0,\"A, west\",-1.5\n\"10.1\",\"A\",\"20\"\n";
        assert_eq!(SnrTrace::from_csv(quoted).expect("a trace").samples, [-1.5, 20.0]);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        let refusal = |text| SnrTrace::from_csv(text).unwrap_err().to_string();
        let no_column = "line 1: there is no column `snr_db`; the header names the columns, such as time_s,snr_db";
        assert_eq!(refusal("time_s,snr\n0,1\n"), no_column);
        assert!(refusal("").starts_with("line 1: there is no column `time_s`"));
        assert_eq!(refusal("time_s,snr_db\n0,1\n\n1,n/a\n"), "line 4: `snr_db` is not a number: `n/a`");
        assert_eq!(refusal("time_s,snr_db\n0\n"), "line 2: `snr_db` is not a number: ``");
        assert_eq!(refusal("time_s,snr_db\n0,inf\n"), "line 2: `snr_db` is not a number: `inf`");
        assert_eq!(refusal("time_s,snr_db\n0,1\n"), "line 2: fewer than two samples");
        assert!(
            refusal("time_s,snr_db\n0,1\n1,1\n3,1\n").starts_with("line 3: a sample at 1 s; it should be at 1.5 s")
        );
        assert!(refusal("time_s,snr_db\n5,1\n5,1\n").starts_with("line 3: the last sample is not after"));
    }
}
