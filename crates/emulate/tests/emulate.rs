//! Scenarios between real kernels. Runs as root; elsewhere each test says why it is skipped.
#![cfg(target_os = "linux")]

use windward_emulate::{Emulation, Options, emulate};
use windward_scenario::{PythonLaw, Scenario};
use windward_sim::{Control, LawChoice};

/// Emulates a scenario; `None`, with the reason printed, where this machine cannot.
fn run(text: &str) -> Option<Emulation> {
    // SAFETY: it reads a number.
    if unsafe { libc::geteuid() } != 0 {
        println!("skipped: emulation takes root");
        return None;
    }
    let scenario = Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let no_law = |_: &PythonLaw| -> LawChoice { unreachable!() };
    let options = Options { seed: 1, ..Options::default() };
    Some(emulate(&scenario.compile(1, &no_law), options, &Control::new()).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn a_flow_fills_its_link() {
    let text = r#"
        name = "one"
        duration = "6 s"
        warmup = "2 s"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "20 ms"
        buffer = "50 packets"
        [[flow]]
        from = "a"
        to = "b"
        law = { name = "cubic", hystart = true }
    "#;
    let Some(emulation) = run(text) else { return };
    let goodput = emulation.output.flows[0].goodput_bps;
    // 1448 of 1500 bytes are data; 2 % are left to a machine that has other things to do.
    let ceiling = 10e6 * 1448.0 / 1500.0;
    assert!(goodput > 0.98 * ceiling && goodput < 1.002 * ceiling, "{goodput}");
    assert!(emulation.output.links[0].max_backlog <= 50 && emulation.notes.is_empty());
    assert!(emulation.quality.packets > emulation.output.links[0].packets);
}
