//! Refusals of the engines without packets.

use windward_fluid::Method;
use windward_models::{Models, Objective};
use windward_scenario::Scenario;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// A flow over a link of 10 Mbit/s; `own` are its further keys.
fn wire(own: &str) -> String {
    format!(
        "name = \"test\"\nduration = \"10 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[flow]]\nlaw = \"reno\"\nfrom = \"a\"\nto = \"b\"\n{own}\n"
    )
}

/// A transfer over several connections has no fluid form and no optimum.
#[test]
fn a_transfer_has_neither_a_fluid_form_nor_an_optimum() {
    let scenario = read(&wire("connections = \"emultcp\""));
    let optimum = scenario.optimum(Objective::Proportional).expect_err("it has no utility").to_string();
    let fluid =
        scenario.fluid(Method::Ode { tolerance: 1e-6 }).expect_err("it has no differential equation").to_string();
    for message in [optimum, fluid] {
        assert!(message.contains("`a->b`") && message.contains("connections"), "{message}");
    }
}

/// Drops of a policer depend on bursts, which windows without packets do not have.
#[test]
fn a_policer_has_no_fluid_form() {
    let link = wire("");
    let queue = "queue = { discipline = \"policer\", rate = \"1 Mbit/s\" }\n[[flow]]";
    let fluid =
        |text: &str| read(text).fluid(Method::Ode { tolerance: 1e-6 }).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(fluid(&link), Ok(()));
    let message = fluid(&link.replace("[[flow]]", queue)).expect_err("it has none");
    assert!(message.starts_with("link `a->b`: policers are not supported by the fluid engine"), "{message}");
}
