//! Cells: tables of modes, channels, invalid combinations.

use windward_scenario::Scenario;
use windward_sim::MediumConfig;
use windward_sim::cell::amc::Table;
use windward_sim::cell::channel::Fading;
use windward_sim::cell::{CellConfig, Repair};

fn text(cell: &str, station: &str) -> String {
    format!(
        "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"ap\" }}, {{ name = \"phone\" }}]\n\
         [[cell]]\nname = \"c\"\naccess_point = \"ap\"\nslot = \"10 ms\"\nsymbol_rate = \"2 MBd\"\n{cell}\n\
         [[cell.station]]\nnode = \"phone\"\nsnr = \"12 dB\"\n{station}\n\
         [[background]]\nfrom = \"ap\"\nto = \"phone\"\npattern = {{ kind = \"cbr\", rate = \"1 Mbit/s\" }}\n"
    )
}

fn compile(cell: &str, station: &str) -> CellConfig {
    let scenario = Scenario::from_toml(&text(cell, station), "n.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "copy").as_ref(), Ok(&scenario));
    let MediumConfig::Cell(cell) = scenario.compile(1).network.topology.media.remove(0) else {
        panic!("a cell's medium is a cell");
    };
    cell
}

fn refusal(cell: &str, station: &str) -> String {
    let error = Scenario::from_toml(&text(cell, station), "n.toml").expect_err("it is wrong");
    let [problem] = error.problems() else { panic!("one problem was expected: {error}") };
    format!("{}: {}", problem.path, problem.message)
}

/// Liu, Zhou and Giannakis' modes in a user's table equal the built-in ones.
#[test]
fn a_table_of_ones_own_may_have_error_rates() {
    let cell = compile(
        r#"repair = { transmissions = 3 }
        [cell.amc]
        kind = "modes"
        packet = "135 B"
        target_error = 0.1
        modes = [
            { efficiency = 0.5, a = 274.7229, g = 7.9932 },
            { efficiency = 1.0, a = 90.2514, g = 3.4998 },
            { efficiency = 1.5, a = 67.6181, g = 1.6883 },
            { efficiency = 3.0, a = 53.3987, g = 0.3756 },
            { efficiency = 4.5, a = 35.3508, g = 0.0900 },
        ]"#,
        "",
    );
    assert_eq!(*cell.table, Table::convolutional(false, 0.1));
    assert_eq!(cell.repair, Some(Repair { max_transmissions: 3 }));
    let plain = compile(r#"amc = { kind = "modes", modes = [{ efficiency = 2, snr = "10 dB" }] }"#, "");
    assert_eq!((plain.table.efficiency(9.99), plain.table.efficiency(10.01)), (0.0, 2.0));
}

#[test]
fn half_a_mode_is_refused() {
    let modes = |rest: &str| refusal(&format!("amc = {{ kind = \"modes\", {rest} }}"), "");
    assert_eq!(modes("modes = [{ efficiency = 1 }]"), "cell[0].amc.modes[0]: a mode needs `snr`, or `a` and `g`");
    let half = "cell[0].amc.modes[1]: `a` and `g` must be given together, and need the `packet` of the table";
    let first = "{ efficiency = 1, snr = \"3 dB\" }";
    assert_eq!(modes(&format!("modes = [{first}, {{ efficiency = 2, a = 1, g = 1 }}]")), half);
    assert_eq!(modes(&format!("packet = \"1 kB\", modes = [{first}, {{ efficiency = 2, a = 1 }}]")), half);
    assert_eq!(
        modes("packet = \"1 kB\", modes = [{ efficiency = 1, a = 2, g = -1, snr = \"3 dB\" }]"),
        "cell[0].amc.modes: mode 1: `a`, `g` and the packet size of its error rate are numbers above 0"
    );
    assert_eq!(
        modes(&format!("modes = [{first}, {{ efficiency = 2, snr = \"2 dB\" }}]")),
        "cell[0].amc.modes: mode 2: its threshold is not above that of the mode before"
    );
    assert_eq!(
        modes(&format!("target_error = 1, modes = [{first}]")),
        "cell[0].amc.target_error: 1 is out of range; allowed: above 0 and below 1"
    );
}

/// huang2020's own settings, 128 Hz and slots of 10 ms: f T = 1.28.
#[test]
fn a_markov_channel_is_refused_where_it_does_not_hold() {
    let fast = r#"fading = { model = "markov", doppler = "128 Hz" }"#;
    assert_eq!(
        refusal("amc = \"ctc\"", fast),
        "cell[0].station[0].fading: the Doppler frequency times the slot is 1.280: a Markov chain that steps between \
         neighbouring modes holds up to 0.05"
    );
    compile("amc = \"ctc\"", r#"fading = { model = "markov", doppler = "2 Hz" }"#);
}

/// 3 km/h at 3.5 GHz: 3.5e9 · (3/3.6)/299 792 458 = 9.73 Hz. The uplink is 6 dB below the downlink, unless given.
#[test]
fn a_cell_with_a_technology_has_both_directions() {
    let text = r#"
        name = "mobile"
        duration = "1 s"
        node = [{ name = "server" }, { name = "mast" }, { name = "phone", count = 2 }, { name = "car" }]
        link = [{ from = "server", to = "mast", rate = "1 Gbit/s", delay = "5 ms" }]
        flow = [{ from = "server", to = "car", law = "cubic" }]

        [[cell]]
        name = "macro"
        access_point = "mast"
        technology = "nr"
        preset = "n78-40mhz"
        tdd = "DDDDDDDSUU"
        special = "6:4:4"
        uplink = { sr_period = "5 ms" }
        rlc = { mode = "um" }
        station = [
            { node = "phone", snr = "18 dB", speed = "3 km/h" },
            { node = "car", snr = "10 dB", uplink_snr = "10 dB" },
        ]

        [[change]]
        station = "car"
        at = "0.5 s"
        snr = "0 dB"
    "#;
    let scenario = Scenario::from_toml(text, "mobile.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "copy").as_ref(), Ok(&scenario));
    let compiled = scenario.compile(1);
    let names: Vec<&str> = compiled.links.iter().map(|link| link.name.as_str()).collect();
    let of_cell = ["mast->phone-1", "phone-1->mast", "mast->phone-2", "phone-2->mast", "mast->car", "car->mast"];
    assert_eq!(names[2..], of_cell);
    let MediumConfig::Ran(cell) = &compiled.network.topology.media[0] else { panic!("a cell of NR") };
    // Three symbols of S carry data: 6 less two of control and one of DMRS.
    assert_eq!((cell.carrier.pattern.period(), cell.carrier.elements.special), (10, 36));
    assert_eq!((cell.uplink.sr_period, cell.rlc.window, cell.average), (10, None, 200.0));
    let [phone, car] = [&cell.stations[0], &cell.stations[2]];
    let Fading::Jakes { doppler, .. } = phone.fading else { panic!("{:?}", phone.fading) };
    assert!((doppler - 9.729).abs() < 1e-3, "{doppler}");
    assert!((phone.mean_snr[0] / phone.mean_snr[1] - libm::pow(10.0, 0.6)).abs() < 1e-9);
    assert_eq!((car.fading.clone(), car.mean_snr), (Fading::Constant, [10.0; 2]));
    assert_eq!((cell.changes.len(), cell.changes[0].station, cell.changes[0].mean_snr), (1, 2, 1.0));
}
