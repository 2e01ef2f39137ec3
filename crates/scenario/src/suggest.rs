//! The nearest valid name.

/// Common words and the names that they mean.
const SYNONYMS: &[(&str, &str)] = &[
    ("bandwidth", "rate"),
    ("capacity", "rate"),
    ("speed", "rate"),
    ("latency", "delay"),
    ("queue", "buffer"),
    ("qlen", "buffer"),
    ("plr", "loss"),
    ("mss", "segment"),
    ("src", "from"),
    ("source", "from"),
    ("dst", "to"),
    ("dest", "to"),
    ("destination", "to"),
    ("sink", "to"),
    ("route", "via"),
    ("path", "via"),
    ("cc", "law"),
    ("algorithm", "law"),
    ("congestion_control", "law"),
    ("bytes", "size"),
    ("time", "duration"),
    ("seed", "seeds"),
    ("newreno", "reno"),
];

/// Words that people write for features that are not modelled, with what to use instead.
const ABSENT: &[(&str, &str)] = &[
    ("802.11be", "Wi-Fi 7 is not modelled: no multi-link operation, no 4096-QAM, no 320 MHz; 802.11ax is the nearest"),
    ("802.11ad", "60 GHz is not modelled; 802.11ac and ax reach to 6 GHz"),
    ("802.11p", "802.11a with a `timing` of doubled times is the nearest"),
    ("wifi6", "\"802.11ax\""),
    ("wifi5", "\"802.11ac\""),
    ("wifi4", "\"802.11n\""),
];

/// Hint for a word whose meaning is known and not modelled.
pub(crate) fn instead_of(given: &str) -> Option<String> {
    let found = ABSENT.iter().find(|(word, _)| word.eq_ignore_ascii_case(given));
    found.map(|(_, hint)| (*hint).to_owned())
}

/// Maximum length in bytes of a word that may be a misspelling.
const LONGEST: usize = 64;

/// The one of `known` that `given` most likely means: equal except for case or hyphens, a synonym, a name that contains
/// it, or a misspelling in at most a third of its letters.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long text is not a misspelled word.
    if given.len() > LONGEST {
        return None;
    }
    let plain = |word: &str| word.to_lowercase().replace(['-', '_'], "");
    let (plain_given, synonyms) = (plain(given), SYNONYMS.iter().filter(|(word, _)| *word == given.to_lowercase()));
    let meant: Vec<_> = synonyms.map(|(_, meant)| *meant).collect();
    known
        .into_iter()
        .filter_map(|word| {
            let plain_word = plain(word);
            let distance = strsim::damerau_levenshtein(&plain_given, &plain_word);
            let is_part = plain_given.len() >= 3 && plain_word.contains(&plain_given);
            let distance = if meant.contains(&word) { 0 } else { distance.min(if is_part { 1 } else { distance }) };
            let letters = given.chars().count().max(word.chars().count());
            (distance <= (letters / 3).max(1) && distance < letters).then_some((distance, word))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Text of a hint.
pub(crate) fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood_and_nonsense_is_not() {
        assert_eq!(nearest("dealy", ["rate", "delay"]), Some("delay"));
        assert_eq!(nearest("QUIC_TCP", ["reno", "quic-tcp"]), Some("quic-tcp"));
        assert_eq!(nearest("bandwidth", ["rate", "delay"]), Some("rate"));
        assert_eq!(nearest("gilbert", ["bernoulli", "gilbert-elliott"]), Some("gilbert-elliott"));
        assert_eq!(nearest("interval", ["internals", "sample_interval"]), Some("sample_interval"));
        assert_eq!(nearest("sender", ["r1", "r2"]), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
