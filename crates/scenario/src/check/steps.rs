//! Steps of a change as text: comma-separated, with a header that names the columns.

use crate::format::{Buffer, Delay, Jitter, Loss, Positive, Probability, Rate, Reorder, Step, UniformJitter, Written};
use std::borrow::Cow;
use std::fmt;
use windward_sim as sim;
use windward_sim::csv::cells;
use windward_units::{BitRate, Decibels, Distance, Duration};

/// Columns that a file may have.
const COLUMNS: [&str; 12] = [
    "time_s",
    "rate_bps",
    "delay_ms",
    "loss",
    "buffer_packets",
    "jitter_ms",
    "reorder",
    "reorder_ms",
    "up",
    "snr_db",
    "x_m",
    "y_m",
];

/// Maximum number of steps of a file.
const MOST: usize = 1_000_000;

/// Reason why a text is not a list of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepsError {
    line: usize,
    problem: String,
}

impl fmt::Display for StepsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Reads comma-separated values. Empty lines are skipped.
///
/// # Errors
/// The first wrong line, and the reason.
pub(crate) fn from_csv(text: &str) -> Result<Vec<Step>, StepsError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (header_line, header) = lines.next().unwrap_or((1, ""));
    let error = |line, problem: String| StepsError { line, problem };
    let columns = cells(header);
    let columns: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
    if let Some(unknown) = columns.iter().find(|name| !COLUMNS.contains(name)) {
        let problem = format!("unknown column `{unknown}`; the header names columns among {}", COLUMNS.join(", "));
        return Err(error(header_line, problem));
    }
    let twice = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name));
    if let Some((_, twice)) = twice {
        return Err(error(header_line, format!("two columns are called `{twice}`")));
    }
    if !columns.contains(&"time_s") {
        return Err(error(header_line, "there is no column `time_s`".to_owned()));
    }
    if columns.contains(&"x_m") != columns.contains(&"y_m") {
        return Err(error(header_line, "a position needs both `x_m` and `y_m`".to_owned()));
    }
    if columns.contains(&"reorder") != columns.contains(&"reorder_ms") {
        return Err(error(header_line, "reordering needs both `reorder` and `reorder_ms`".to_owned()));
    }
    let steps: Vec<Step> = lines
        .map(|(line, text)| step(&columns, text).map_err(|problem| error(line, problem)))
        .collect::<Result<_, _>>()?;
    match steps.len() {
        0 => Err(error(header_line, "no step follows the header".to_owned())),
        1..=MOST => Ok(steps),
        more => Err(error(header_line, format!("{more} steps; at most {MOST} are read"))),
    }
}

fn step(columns: &[&str], line: &str) -> Result<Step, String> {
    let cells = cells(line);
    if cells.len() != columns.len() {
        return Err(format!("{} columns; the header has {}", cells.len(), columns.len()));
    }
    let row = Row { columns, cells: &cells };
    let at = row.number("time_s")?.ok_or("`time_s` is empty")?;
    let millis = |column| Ok::<_, String>(row.at_least_zero(column)?.map(|millis| Duration::from_secs(millis / 1e3)));
    let is_up = |text: &str| match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        other => Err(format!("`up` is 1 or 0, not `{other}`")),
    };
    let position = match (row.number("x_m")?, row.number("y_m")?) {
        (None, None) => None,
        (Some(x), Some(y)) => Some([x, y].map(|metres| Written(Distance::metres(metres)))),
        _ => return Err("a position needs both `x_m` and `y_m`".to_owned()),
    };
    let probability = |column: &str, share: f64| match share {
        0.0..=1.0 => Ok(Probability(share)),
        _ => Err(format!("`{column}` is {share}; allowed: 0 to 1")),
    };
    let reorder = match (row.number("reorder")?, row.number("reorder_ms")?) {
        (None, None) => None,
        (Some(share), Some(millis)) if millis > 0.0 => {
            Some(Reorder { share: probability("reorder", share)?, delay: Positive(Duration::from_secs(millis / 1e3)) })
        }
        (Some(_), Some(millis)) => return Err(format!("`reorder_ms` is {millis}; it must be above zero")),
        _ => return Err("reordering needs both `reorder` and `reorder_ms`".to_owned()),
    };
    let rate = |bits: f64| match bits {
        1.0.. => Ok(Rate::Constant(Positive(BitRate::bits_per_sec(bits as u64)))),
        _ => Err(format!("`rate_bps` is {bits}; allowed: 1 and more. A link that stops is one with `up` 0")),
    };
    let whole = |packets: f64| match packets.fract() {
        0.0 => Ok(Buffer(sim::Buffer::Packets(packets as u64))),
        _ => Err(format!("`buffer_packets` is {packets}; it must be a whole number")),
    };
    if at < 0.0 {
        return Err(format!("`time_s` is {at}; it must not be negative"));
    }
    Ok(Step {
        rate: row.number("rate_bps")?.map(rate).transpose()?,
        delay: millis("delay_ms")?.map(|delay| Delay::Constant(Written(delay))),
        loss: row.number("loss")?.map(|loss| probability("loss", loss)).transpose()?.map(Loss::Plain),
        buffer: row.at_least_zero("buffer_packets")?.map(whole).transpose()?,
        jitter: millis("jitter_ms")?.map(|most| Jitter::Uniform(UniformJitter { max: Written(most) })),
        reorder,
        up: row.cell("up").map(is_up).transpose()?,
        snr: row.number("snr_db")?.map(|level| Written(Decibels::new(level))),
        position,
        ..Step::empty(Duration::from_secs(at))
    })
}

struct Row<'a> {
    columns: &'a [&'a str],
    cells: &'a [Cow<'a, str>],
}

impl Row<'_> {
    /// Content of a column, if it exists and is not empty.
    fn cell(&self, column: &str) -> Option<&str> {
        let at = self.columns.iter().position(|name| *name == column)?;
        Some(self.cells[at].as_ref()).filter(|text| !text.is_empty())
    }

    fn number(&self, column: &str) -> Result<Option<f64>, String> {
        let Some(text) = self.cell(column) else { return Ok(None) };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.map(Some).ok_or_else(|| format!("`{column}` is not a number: `{text}`"))
    }

    fn at_least_zero(&self, column: &str) -> Result<Option<f64>, String> {
        match self.number(column)? {
            Some(number) if number < 0.0 => Err(format!("`{column}` is {number}; it must not be negative")),
            number => Ok(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_cells_change_nothing() {
        let steps = from_csv("time_s, rate_bps ,loss,up\n0.5,2e6,,\n\n1,,0.02,0\r\n").expect("steps");
        let [first, second] = &steps[..] else { panic!("two steps") };
        assert_eq!(first.at.0, Duration::from_millis(500));
        assert_eq!(first.values().given().collect::<Vec<_>>(), ["rate"]);
        assert_eq!(second.values().given().collect::<Vec<_>>(), ["loss", "up"]);
        assert_eq!((second.up, &second.loss), (Some(false), &Some(Loss::Plain(Probability(0.02)))));
    }

    #[test]
    fn cells_may_stand_in_quotes() {
        let plain = from_csv("time_s,rate_bps\n1,1e6\n");
        assert_eq!(from_csv("\"time_s\",\"rate_bps\"\n\"1\",\"1e6\"\n"), plain);
    }

    #[test]
    fn what_is_no_step_is_refused_with_its_line() {
        let refusal = |text| from_csv(text).unwrap_err().to_string();
        assert!(refusal("time_s,rate_mbps\n1,2\n").starts_with("line 1: unknown column `rate_mbps`; the header names"));
        assert!(refusal("rate_bps\n1\n").starts_with("line 1: there is no column `time_s`"));
        assert!(refusal("time_s,x_m\n1,1\n").starts_with("line 1: a position needs both"));
        assert_eq!(refusal("time_s,loss\n"), "line 1: no step follows the header");
        assert_eq!(refusal("time_s,loss\n1,2\n"), "line 2: `loss` is 2; allowed: 0 to 1");
        assert_eq!(refusal("time_s,reorder\n1,0.1\n"), "line 1: reordering needs both `reorder` and `reorder_ms`");
        assert_eq!(
            refusal("time_s,reorder,reorder_ms\n1,0.1,\n"),
            "line 2: reordering needs both `reorder` and `reorder_ms`"
        );
        assert_eq!(refusal("time_s,reorder,reorder_ms\n1,2,8\n"), "line 2: `reorder` is 2; allowed: 0 to 1");
        assert_eq!(refusal("time_s,reorder,reorder_ms\n1,0.1,0\n"), "line 2: `reorder_ms` is 0; it must be above zero");
        assert_eq!(refusal("time_s,loss\n1,x\n"), "line 2: `loss` is not a number: `x`");
        assert_eq!(refusal("time_s,loss\n1\n"), "line 2: 1 columns; the header has 2");
        assert!(refusal("time_s,rate_bps\n1,0\n").starts_with("line 2: `rate_bps` is 0; allowed: 1 and more"));
        assert_eq!(refusal("time_s,up\n1,yes\n"), "line 2: `up` is 1 or 0, not `yes`");
    }
}
