//! Arrivals and distributions of sizes as text: comma-separated, with a header that names the columns.

use crate::format::{ArrivalTime, Number, Positive, SizePoint, Written};
use std::borrow::Cow;
use windward_sim::csv::cells;
use windward_units::{Bytes, Duration};

/// Maximum number of lines of a file.
const MOST: usize = 10_000_000;

/// Reads arrivals: `time_s`, and optionally `bytes`.
///
/// # Errors
/// The first wrong line, and the reason.
pub(crate) fn arrivals(text: &str) -> Result<Vec<ArrivalTime>, String> {
    rows(text, ["time_s", "bytes"], 1, |[time, bytes]| {
        let time = Written(Duration::from_secs(time.ok_or("`time_s` is empty")?));
        Ok(ArrivalTime { time, bytes: bytes.map(whole).transpose()? })
    })
}

/// Reads points of a distribution of sizes: `bytes` and `share`.
///
/// # Errors
/// The first wrong line, and the reason.
pub(crate) fn points(text: &str) -> Result<Vec<SizePoint>, String> {
    rows(text, ["bytes", "share"], 2, |[bytes, share]| {
        let bytes = whole(bytes.ok_or("`bytes` is empty")?)?;
        Ok(SizePoint { bytes, share: Number(share.ok_or("`share` is empty")?) })
    })
}

/// Reads the sizes of the chunks of a video: a line for each, with a column for each level.
///
/// # Errors
/// The first wrong line, and the reason.
pub(crate) fn levels(text: &str) -> Result<Vec<Vec<Positive<Bytes>>>, String> {
    let header = |names: &[Cow<'_, str>]| match names.iter().find(|name| !name.starts_with("level")) {
        Some(unknown) => Err(format!("unknown column `{unknown}`; each column begins with `level`")),
        None => Ok(()),
    };
    table(text, header, |(), cells| {
        let size = |text: &Cow<'_, str>| {
            let bytes = text.parse::<f64>().ok().filter(|bytes| bytes.is_finite());
            bytes.ok_or_else(|| format!("no number of bytes: `{text}`")).and_then(whole)
        };
        cells.iter().map(size).collect()
    })
}

fn whole(bytes: f64) -> Result<Positive<Bytes>, String> {
    match bytes {
        1.0..1e13 => Ok(Positive(Bytes::new(bytes as u64))),
        _ => Err(format!("`bytes` is {bytes}; it must be at least 1 and below 10^13")),
    }
}

/// Rows of two columns, of which the first `needed` must be there; no number is negative. Empty lines are skipped.
fn rows<T>(
    text: &str,
    columns: [&str; 2],
    needed: usize,
    row: impl Fn([Option<f64>; 2]) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let header = |names: &[Cow<'_, str>]| {
        if let Some(unknown) = names.iter().find(|name| !columns.contains(&name.as_ref())) {
            return Err(format!("unknown column `{unknown}`; the header names columns among {}", columns.join(", ")));
        }
        let places = columns.map(|column| names.iter().position(|name| name == column));
        match (0..needed).find(|&column| places[column].is_none()) {
            Some(missing) => Err(format!("there is no column `{}`", columns[missing])),
            None => Ok(places),
        }
    };
    table(text, header, |places, cells| {
        let number = |column: usize| -> Result<Option<f64>, String> {
            let Some(text) = places[column].map(|at| &cells[at]).filter(|text| !text.is_empty()) else {
                return Ok(None);
            };
            match text.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                _ => Err(format!("`{}` is no number of at least 0: `{text}`", columns[column])),
            }
        };
        row([number(0)?, number(1)?])
    })
}

/// Rows of a table by `row`, which gets what `header` makes of the names of the columns. Empty lines are skipped.
fn table<T, H>(
    text: &str,
    header: impl Fn(&[Cow<'_, str>]) -> Result<H, String>,
    row: impl Fn(&H, &[Cow<'_, str>]) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (first, names) = lines.next().unwrap_or((1, ""));
    let names = cells(names);
    let columns = header(&names).map_err(|problem| format!("line {first}: {problem}"))?;
    let mut all = Vec::new();
    for (at, line) in lines {
        let cells = cells(line);
        let read = if cells.len() == names.len() {
            row(&columns, &cells)
        } else {
            Err(format!("{} columns; the header has {}", cells.len(), names.len()))
        };
        all.push(read.map_err(|problem| format!("line {at}: {problem}"))?);
        if all.len() > MOST {
            return Err(format!("more than {MOST} lines"));
        }
    }
    if all.is_empty() { Err(format!("line {first}: nothing follows the header")) } else { Ok(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_may_have_sizes() {
        let read = arrivals("time_s,bytes\n0.5,1000\n\n1,\n").expect("it is right");
        let seconds: Vec<f64> = read.iter().map(|arrival| arrival.time.0.as_secs()).collect();
        assert_eq!(seconds, [0.5, 1.0]);
        assert_eq!(read[0].bytes, Some(Positive(Bytes::new(1000))));
        assert_eq!(read[1].bytes, None);
        assert_eq!(arrivals("time_s\n2\n").expect("it is right").len(), 1);
    }

    #[test]
    fn chunks_have_a_size_for_each_level() {
        let read = levels("level_1,level_2\n1000,2000\n1100,2500\n").expect("it is right");
        let bytes: Vec<Vec<u64>> = read.iter().map(|row| row.iter().map(|size| size.0.count()).collect()).collect();
        assert_eq!(bytes, [[1000, 2000], [1100, 2500]]);
        let problem = |text| levels(text).expect_err("it is wrong");
        assert_eq!(problem("level_1,level_2\n1000\n"), "line 2: 1 columns; the header has 2");
        assert_eq!(problem("rate\n1\n"), "line 1: unknown column `rate`; each column begins with `level`");
        assert_eq!(problem("level\nx\n"), "line 2: no number of bytes: `x`");
        assert_eq!(problem("level\n0\n"), "line 2: `bytes` is 0; it must be at least 1 and below 10^13");
    }

    #[test]
    fn wrong_lines_are_named() {
        let problem = |text| points(text).expect_err("it is wrong");
        assert_eq!(problem("bytes,share\n100,x\n"), "line 2: `share` is no number of at least 0: `x`");
        assert_eq!(problem("bytes\n100\n"), "line 1: there is no column `share`");
        assert_eq!(
            problem("size,share\n"),
            "line 1: unknown column `size`; the header names columns among bytes, share"
        );
        assert_eq!(problem("bytes,share\n0,1\n"), "line 2: `bytes` is 0; it must be at least 1 and below 10^13");
        assert_eq!(problem("bytes,share\n"), "line 1: nothing follows the header");
    }
}
