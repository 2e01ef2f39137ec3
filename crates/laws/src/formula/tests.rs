use super::*;
use crate::testing::{ack, congestion, near, slow_ack};
use crate::{FluidLaw, FluidPath, LawSpec, MeanWindow, quic_tcp, reno};

fn formulas(step: &str, loss: &str) -> Formulas {
    Formulas { step: step.to_owned(), loss: loss.to_owned(), ..Formulas::default() }
}

fn params(step: &str, loss: &str) -> Params {
    formulas(step, loss).into()
}

/// The value of a formula with w = 100, base/avg = 0.8, and 1 for all other quantities.
fn value(text: &str) -> f64 {
    let tree = text::read(text, &BTreeMap::from([("p".to_owned(), 10.0)])).unwrap();
    Program::of(&tree).unwrap().run(|quantity| match quantity {
        Quantity::Window => 100.0,
        Quantity::Share => 0.8,
        _ => 1.0,
    })
}

fn refusal(text: &str) -> String {
    text::read(text, &BTreeMap::from([("p".to_owned(), 10.0)])).unwrap_err()
}

#[test]
fn formulas_mean_what_they_say() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("2 ^ 3 ^ 2", 512.0),
        ("w ^ 2 - w ^ 3 / 100 + w ^ 0.5", 10.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("8 / 2 / 2", 2.0),
        ("10 - 4 - 3", 3.0),
        ("1_000.5e-1", 100.05),
        ("w - share * w - p", 10.0),
        ("-0.5 * share * (w - share * w - p) / w", -0.04),
        ("d = w * (1 - share); e = d - p; d * e", 200.0),
        ("min(w, 3, p) + max(1, w)", 103.0),
        ("clamp(w, -1, 7) + clamp(-w, -1, 7)", 6.0),
        ("if(w > 50, 3, 4) + if(w <= 50, 10, 20)", 23.0),
        ("(w >= 100) + (w < 100)", 1.0),
        ("sqrt(w) + cbrt(1000) + abs(-w)", 120.0),
        ("log(exp(w)) + log2(w / 100 * 8)", 103.0),
        ("w\n  + p", 110.0),
    ] {
        near(value(text), expected, 1e-12 * expected.abs());
    }
}

#[test]
fn what_is_no_number_stays_none() {
    for text in ["min(0 / (w - 100), 1)", "max(1, 0 / (w - 100))", "clamp(0 / (w - 100), 0, 1)", "sqrt(-w) + 1"] {
        assert!(value(text).is_nan(), "{text}");
    }
}

#[test]
fn errors_name_their_column() {
    for (text, expected) in [
        ("", "column 1: the formula is empty"),
        ("w +", "column 4: expected a number, a name or `(`, found the end"),
        ("(w + 1", "column 7: expected `)`, found the end"),
        ("w 1", "column 3: expected an operator or the end, found `1`"),
        ("w $ 1", "column 3: `$` is no part of a formula; allowed: numbers, names, + - * / ^ < <= > >= ( ) , = ;"),
        ("1.2.3 + w", "column 1: `1.2.3` is no number"),
        ("w + 1e999", "column 5: `1e999` is too large"),
        ("w / 0", "column 3: division by 0"),
        ("w + 0 / 0", "column 7: the value here is NaN"),
        ("w + log(-1)", "column 5: the value here is NaN"),
        ("sqrt(w, 2)", "column 1: `sqrt` takes one argument, found 2"),
        ("1 + min(w)", "column 5: `min` takes two arguments or more, found 1"),
        ("clamp(w, 1)", "column 1: `clamp` takes three arguments, found 2"),
        ("w(2)", "column 1: `w` is no function"),
        ("sqrt + 1", "column 6: expected `(` after sqrt, found `+`"),
        ("w = 3; w", "column 1: `w` is a quantity; choose another name"),
        ("p = 3; w", "column 1: `p` is defined already"),
        ("q = 3 w", "column 7: expected `;` after the definition, found `w`"),
        (
            "w +\n  @",
            "line 2, column 3: `@` is no part of a formula; allowed: numbers, names, + - * / ^ < <= > >= ( ) , = ;",
        ),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
    let unknown = refusal("acked / wnd");
    assert_eq!(
        unknown,
        "column 9: unknown name `wnd`; allowed: w, acked, flight, ssthresh, rtt, srtt, avg, least, base, share, rate, lost, \
         since, rounds, last, p, min(), max(), clamp(), if(), abs(), sqrt(), cbrt(), exp(), log(), log2()"
    );
    assert!(refusal(&"(".repeat(60)).ends_with("nested more than 48 deep"));
    assert!(refusal(&"1 +".repeat(2000)).starts_with("is longer"));
}

#[test]
fn parameters_are_checked() {
    let check = |written: Formulas| Params::from(written).check().unwrap_err();
    assert_eq!(check(formulas("w +", "w / 2")).0, "step");
    assert_eq!(check(formulas("1 / w", "w / wnd")).0, "loss");
    assert_eq!(check(Formulas { mark: "(".to_owned(), ..Formulas::default() }).0, "mark");
    assert_eq!(check(Formulas { start: ")".to_owned(), ..Formulas::default() }).0, "start");
    assert_eq!(check(Formulas { average: 0.0, ..Formulas::default() }).0, "average");
    let constants = |name: &str, value| BTreeMap::from([(name.to_owned(), value)]);
    let with = |name: &str, value| check(Formulas { constants: constants(name, value), ..Formulas::default() });
    assert_eq!(with("w", 1.0), ("constants", "`w` is a quantity; choose another name".to_owned()));
    assert_eq!(with("min", 1.0), ("constants", "`min` is a function; choose another name".to_owned()));
    assert_eq!(with("2x", 1.0).1, "`2x` is no name: letters, digits and _, a letter first");
    assert_eq!(with("x", f64::INFINITY).1, "`x` is not finite");
    let deep = format!("{}w{}", "w + (".repeat(40), ")".repeat(40));
    assert_eq!(check(formulas(&deep, "w")), ("step", "needs 40 values at once; at most 31".to_owned()));
    let long = vec!["w"; 700].join(" * ");
    assert_eq!(check(formulas(&long, "w")), ("step", "has 700 operations; at most 512".to_owned()));
}

#[test]
fn an_ack_changes_the_window_within_its_packets() {
    let after = |step: &str, acked: f64| {
        let mut law = Formula::new(params(step, "flight / 2"), Packets::new(20.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        law.on_ack(&Ack { acked: Packets::new(acked), ..ack(0, 0, 10.0) });
        law.cwnd().count()
    };
    // 10 packets: + 2/10; at most 2 more, at most 1 less; nothing for what is not finite; never below 2.
    near(after("acked / w", 2.0), 10.2, 1e-12);
    near(after("100", 2.0), 12.0, 1e-12);
    near(after("-100", 2.0), 9.0, 1e-12);
    near(after("1 / (w - 10)", 2.0), 10.0, 1e-12);
    near(after("sqrt(-w)", 2.0), 10.0, 1e-12);
    near(after("-100", 40.0), 2.0, 1e-12);
}

#[test]
fn losses_and_marks_have_formulas_of_their_own() {
    let law = Params::from(Formulas { mark: "0.8 * w".to_owned(), ..formulas("acked / w", "0.7 * w") });
    let after = |kind| {
        let mut law = Formula::new(law, Packets::new(100.0));
        law.on_congestion(&congestion(kind, 90.0));
        law.cwnd().count()
    };
    near(after(CongestionKind::Loss), 70.0, 1e-12);
    near(after(CongestionKind::Mark), 80.0, 1e-12);
    near(after(CongestionKind::Timeout), 1.0, 0.0);
    // A response does not raise the window, nor does what is not finite decide.
    let after = |loss: &str| {
        let mut law = Formula::new(params("1", loss), Packets::new(100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 90.0));
        law.cwnd().count()
    };
    near(after("2 * w"), 100.0, 1e-12);
    near(after("1 / (w - 100)"), 45.0, 1e-12);
    near(after("0"), 2.0, 1e-12);
}

#[test]
fn it_remembers_time_rounds_and_window_of_the_last_reduction() {
    // Reduced at 0 ms in round 0 from 100 packets: at 500 ms in round 3, since = 0.5, rounds = 3, last = 100.
    let step = |text: &str| {
        let mut law = Formula::new(params(text, "w / 2"), Packets::new(100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        law.on_ack(&ack(500, 3, 50.0));
        law.cwnd().count() - 50.0
    };
    near(step("since"), 0.5, 1e-12);
    near(step("rounds / 10"), 0.3, 1e-12);
    near(step("last / 1000"), 0.1, 1e-12);
}

#[test]
fn a_window_below_the_threshold_does_not_return_to_slow_start() {
    let mut law = Formula::new(params("-0.5", "w / 2"), Packets::new(100.0));
    law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
    for at in 0..20 {
        law.on_ack(&ack(at, 0, 50.0));
    }
    near(law.cwnd().count(), 40.0, 1e-12);
    law.on_congestion(&congestion(CongestionKind::Timeout, 40.0));
    law.on_ack(&ack(30, 1, 40.0));
    near(law.cwnd().count(), 2.0, 1e-12);
}

/// Equal to the equations of the built-in laws, with the rest of QUIC-TCP in closed form.
#[test]
fn the_fluid_is_that_of_the_built_in_laws() {
    let path = |queue, loss| FluidPath {
        base_rtt: Duration::from_millis(100),
        queue_delay: Duration::from_millis(queue),
        loss,
        marks: 0.0,
    };
    let reno = Params::default().fluid().unwrap();
    for (queue, loss) in [(0, 0.01), (50, 1e-4), (7, 0.2)] {
        let path = path(queue, loss);
        for cwnd in [2.0, 14.3, 1e4] {
            let built_in = MeanWindow::slope(&reno::Params::default(), cwnd, &path);
            assert_eq!(reno.slope(cwnd, &path).to_bits(), built_in.to_bits());
        }
        assert_eq!(reno.rest(&path), FluidLaw::equilibrium(&reno::Params::default(), &path));
    }
    let quic = params("acked * (-0.5 * share * (w - share * w - 200) / w)", "flight / 2").fluid().unwrap();
    for queue in [1, 20, 500] {
        let built_in = quic_tcp::Params::default().equilibrium(&path(queue, 0.0)).unwrap().count();
        near(quic.rest(&path(queue, 0.0)).unwrap().count(), built_in, 1e-12 * built_in);
    }
    assert_eq!(quic.rest(&path(0, 0.0)), None);
}

#[test]
fn rests_are_closed_where_the_step_is_rational_and_found_elsewhere() {
    let path = FluidPath {
        base_rtt: Duration::from_millis(100),
        queue_delay: Duration::from_millis(25),
        loss: 0.0,
        marks: 0.0,
    };
    let law = |step: &str| params(step, "w / 2").fluid().unwrap();
    for (step, rest, is_closed) in [
        // 1/5 of the window waits: 10 packets at 50.
        ("clamp(0.1 * (10 - w * (1 - base / rtt)), -1, 1)", 50.0, true),
        // (400 − W²)/W
        ("acked * (400 / w - w) / 1000", 20.0, true),
        ("(400 - w ^ 2) / 1000", 20.0, true),
        ("d = w * 0.025 / rtt; 0.01 * (10 - d)", 50.0, true),
        // √W = 5
        ("(5 - sqrt(w)) / 100", 25.0, false),
        ("(10 - rate * (avg - base)) / w", 50.0, true),
    ] {
        let law = law(step);
        assert_eq!(law.root(&path).is_some(), is_closed, "{step}");
        near(MeanWindow::rest(&law, &path).unwrap().count(), rest, 1e-9 * rest);
    }
    // A growth without end has no rest; one that is memory no equation.
    assert_eq!(MeanWindow::rest(&law("acked / w"), &path), None);
    for step in ["since", "rounds / w", "last - w", "ssthresh - w", "d = since; d"] {
        assert!(params(step, "w / 2").fluid().is_none(), "{step}");
    }
}

#[test]
fn the_registry_refuses_with_the_column() {
    let parameters = serde_json::json!({ "step": "acked / wnd" });
    let Err(crate::SpecError::Parameter(field, why)) = LawSpec::from_json("formula", parameters) else {
        panic!("it is refused");
    };
    assert_eq!(field, "step");
    assert!(why.starts_with("column 9: unknown name `wnd`"), "{why}");
}

/// 50 ms of standing queue on 100 ms: the sample passes through every quantity of time.
#[test]
fn times_are_seconds() {
    let step = |text: &str| {
        let mut law = Formula::new(params(text, "w / 2"), Packets::new(100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        law.on_ack(&slow_ack(500, 0, 50.0, 150));
        law.cwnd().count() - 50.0
    };
    for (text, expected) in [("rtt", 0.15), ("srtt", 0.15), ("avg", 0.15), ("least", 0.15), ("base", 0.1)] {
        near(step(text), expected, 1e-12);
    }
    near(step("share / 10"), 1.0 / 15.0, 1e-12);
}
