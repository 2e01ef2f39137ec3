//! Effect of marks and losses on laws that distinguish them, in packets and as differential equations.

use windward_fluid::Method;
use windward_models::Models;
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, run};

/// One flow of a law over a round trip of 20 ms; the rest of the link and of the flow as given.
fn scenario(link: &str, law: &str, flow: &str) -> Scenario {
    let text = format!(
        r#"
        name = "marks"
        duration = "120 s"
        warmup = "20 s"
        node = [{{ name = "a" }}, {{ name = "b" }}]
        [[link]]
        from = "a"
        to = "b"
        delay = "10 ms"
        {link}
        [[flow]]
        from = "a"
        to = "b"
        law = "{law}"
        delayed_ack = false
        {flow}
        "#
    );
    Scenario::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

/// Goodput in Mbit/s and queueing delay in ms, of packets and at the fluid's equilibrium.
fn both(scenario: &Scenario) -> [(f64, f64); 2] {
    let output = run(&scenario.compile(1).network, &Makers::default(), 1, &Control::new(), None).expect("it runs");
    let fluid = scenario.fluid(Method::Ode { tolerance: 1e-6 }).expect("it has a fluid form");
    let goodput = fluid.trajectory.rests[0].rates[0] * fluid.packet_bits * fluid.efficiency[0][0];
    [
        (output.flows[0].goodput_bps / 1e6, output.links[0].mean_queue_delay_s * 1e3),
        (goodput / 1e6, fluid.trajectory.rests[0].delays[0] * 1e3),
    ]
}

/// A wire that loses one packet in a thousand and never marks: Reno's window, for every response to marks. Reno's mean
/// in packets is 0.91 of its fluid's.
#[test]
fn losses_of_a_wire_are_losses() {
    let link = "rate = \"1 Gbit/s\"\nloss = 0.001";
    let [(packets, _), (fluid, _)] = both(&scenario(link, "reno", ""));
    assert!((0.88..0.97).contains(&(packets / fluid)), "{packets} {fluid}");
    for law in ["dctcp", "prague"] {
        for ecn in ["off", "accurate"] {
            let [(packets, _), (of_fluid, _)] = both(&scenario(link, law, &format!("ecn = \"{ecn}\"")));
            assert!((of_fluid / fluid - 1.0).abs() < 1e-3, "{law}, {ecn}: {of_fluid}, Reno's {fluid}");
            assert!((0.85..0.97).contains(&(packets / of_fluid)), "{law}, {ecn}: {packets} {of_fluid}");
        }
    }
}

/// A full buffer drops, and the queue stays close to it.
#[test]
fn a_full_buffer_drops() {
    for law in ["dctcp", "prague"] {
        let [(packets, _), (fluid, delay)] =
            both(&scenario("rate = \"20 Mbit/s\"\nbuffer = \"40 packets\"", law, "ecn = \"accurate\""));
        assert!((packets / fluid - 1.0).abs() < 0.04, "{law}: {packets} {fluid}");
        assert!((delay / 24.0 - 1.0).abs() < 0.01, "{law}: {delay}");
    }
}

/// RED without memory marks at random, with a probability that rises with the queue. The window and the queue settle
/// where its marks keep them.
#[test]
fn marks_by_chance_hold_the_queue() {
    let link = "rate = \"50 Mbit/s\"\nqueue = { discipline = \"red\", min = 5, max = 205, probability = 0.2, weight = 1, ecn = true }";
    for (law, mode) in [("dctcp", "accurate"), ("prague", "scalable")] {
        let [(packets, waits), (fluid, delay)] = both(&scenario(link, law, &format!("ecn = \"{mode}\"")));
        assert!((packets / fluid - 1.0).abs() < 0.02, "{law}: {packets} {fluid}");
        assert!((waits / delay - 1.0).abs() < 0.1, "{law}: {waits} {delay}");
    }
}
