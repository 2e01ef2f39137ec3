//! Prints the reference page of the scenario format: `docs/reference/scenario.md`.

fn main() {
    print!("{}", windward_scenario::reference());
}
