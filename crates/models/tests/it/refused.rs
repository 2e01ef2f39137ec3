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

/// The objective of a formula's own utility is refused; others are answered.
#[test]
fn a_formula_has_no_utility_of_its_own() {
    let law = "law = { name = \"formula\", step = \"acked / w\" }";
    let scenario = read(&wire("").replace("law = \"reno\"", law));
    let told = scenario.optimum(Objective::Law).expect_err("it has no utility").to_string();
    assert_eq!(
        told,
        "flow `a->b`: the utility of a formula is not known\nhint: choose another objective, such as proportional"
    );
    assert!(scenario.optimum(Objective::Proportional).is_ok());
    assert!(read(&wire("")).optimum(Objective::Law).is_ok());
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

/// The hint names the schedulers that this cell may have: none of LTE or NR is oblivious.
#[test]
fn the_fluid_form_names_schedulers_that_the_cell_may_have() {
    let text = |keys: &str, scheduler: &str| {
        format!(
            "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             [[cell]]\nname = \"c\"\naccess_point = \"a\"\n{keys}\nscheduler = {scheduler}\n\
             station = [{{ node = \"b\", snr = \"20 dB\" }}]\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\""
        )
    };
    let hint = |text: &str| {
        let told = read(text).fluid(Method::Ode { tolerance: 1e-6 }).expect_err("it has no fluid form").to_string();
        told.split_once("\nhint: use ").expect("it has a hint").1.to_owned()
    };
    let lte = "technology = \"lte\"\npreset = \"lte-10mhz\"";
    assert_eq!(hint(&text(lte, "\"round-robin\"")), "\"queueing-delay\"");
    let told = Scenario::from_toml(&text(lte, "{ kind = \"round-robin\", oblivious = true }"), "n.toml");
    assert!(told.is_err_and(|error| error.to_string().contains("oblivious")));
    let back = "[[link]]\nfrom = \"b\"\nto = \"a\"\nrate = \"9 Mbit/s\"\ndelay = \"5 ms\"\nduplex = false\n[[cell]]";
    let slotted = text("slot = \"1 ms\"\nsymbol_rate = \"2 Msymbol/s\"\namc = \"ctc\"", "\"max-snr\"");
    assert_eq!(
        hint(&slotted.replace("[[cell]]", back)),
        "\"queueing-delay\", or \"round-robin\" with oblivious = true"
    );
}
