//! The answers of the module, asked natively: same code, same bytes.

use serde_json::{Value, json};
use windward_sim::Control;
use windward_wasm::{Watch, ask};

const QUIET: Watch = Watch { look: |_| {}, show: |_| {} };

const SMALL: &str = r#"
name = "small"
duration = "2 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "5 ms", buffer = "40 packets" }]
flow = [{ from = "a", to = "b", law = "reno" }]
"#;

/// Header of an answer, and its columns' bytes.
fn answer(question: &Value, watch: Watch) -> (Value, Vec<u8>) {
    let bytes = ask(question.to_string().as_bytes(), watch);
    let size = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    assert_eq!((4 + size) % 8, 0, "columns of numbers are aligned");
    (serde_json::from_slice(&bytes[4..4 + size]).unwrap(), bytes[4 + size..].to_vec())
}

fn doubles(column: &Value, data: &[u8]) -> Vec<f64> {
    assert_eq!(column["kind"], "f64");
    let at = column["at"].as_u64().unwrap() as usize;
    let count = column["count"].as_u64().unwrap() as usize;
    data[at..at + 8 * count].chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn a_run_is_answered_in_columns() {
    let (header, data) = answer(&json!({ "do": "simulate", "scenario": SMALL, "seed": 3 }), QUIET);
    assert_eq!(header["seed"], 3);
    // One flow over 10 Mbit/s: 1460 of 1538 or 1514 bytes are payload, less slow start.
    let [goodput] = doubles(&header["tables"]["flows"]["goodput_bps"], &data)[..] else { panic!("one flow") };
    assert!((8.5e6..9.7e6).contains(&goodput), "{goodput}");
}

#[test]
fn an_optimum_and_a_fluid_run_are_answered() {
    let (header, data) = answer(&json!({ "do": "optimum", "scenario": SMALL, "utility": "law" }), QUIET);
    let [rate] = doubles(&header["tables"]["flows"]["rate_bps"], &data)[..] else { panic!("one flow") };
    assert!((rate - 10e6).abs() < 1.0, "{rate}");
    let (header, data) = answer(&json!({ "do": "fluid", "scenario": SMALL }), QUIET);
    let series = &header["tables"]["flow_series"];
    assert_eq!(doubles(&series["time_s"], &data).len(), doubles(&series["cwnd"], &data).len());
    let (header, _) = answer(&json!({ "do": "optimum", "scenario": SMALL, "utility": "beauty" }), QUIET);
    assert_eq!(header["error"], "unknown utility `beauty`");
}

#[test]
fn problems_have_their_places() {
    let text = SMALL.replace("\"10 Mbit/s\"", "\"fast\"");
    let (header, _) = answer(&json!({ "do": "read", "scenario": text }), QUIET);
    assert_eq!(header["problems"][0]["line"], 5);
    assert!(header["error"].as_str().unwrap().starts_with("scenario:5:"), "{header}");
    let text = SMALL.replace("rate = \"10 Mbit/s\"", "rate = { trace = \"walk.trace\" }");
    let (header, _) = answer(&json!({ "do": "read", "scenario": text }), QUIET);
    assert!(header["error"].as_str().unwrap().contains("walk.trace"), "{header}");
    let files = json!({ "walk.trace": "1\n2\n3\n" });
    let (header, _) = answer(&json!({ "do": "read", "scenario": text, "files": files }), QUIET);
    assert_eq!(header["error"], Value::Null);
}

/// A formula needs nothing that a browser has not: its runs and equations are Reno's, and an error has its column.
#[test]
fn a_law_as_a_formula_is_answered() {
    let formula = SMALL.replace("\"reno\"", "{ name = \"formula\", step = \"acked / w\" }");
    for question in ["simulate", "fluid"] {
        let [(own, bytes), (built_in, expected)] =
            [formula.as_str(), SMALL].map(|text| answer(&json!({ "do": question, "scenario": text }), QUIET));
        assert_eq!(own["error"], Value::Null, "{own}");
        assert!(bytes == expected && built_in["tables"]["flow_series"] == own["tables"]["flow_series"], "{question}");
    }
    let wrong = formula.replace("acked / w", "acked / wnd");
    let (header, _) = answer(&json!({ "do": "read", "scenario": wrong }), QUIET);
    assert!(header["error"].as_str().unwrap().contains("column 9: unknown name `wnd`"), "{header}");
    assert_eq!(header["problems"][0]["line"], 6);
}

#[test]
fn laws_in_python_are_refused() {
    let text = SMALL.replace("law = \"reno\"", "law = { name = \"python\", class = \"mine.py:Mine\" }");
    let (header, _) = answer(&json!({ "do": "read", "scenario": text }), QUIET);
    assert_eq!(header["python_classes"], json!(["mine.py:Mine"]));
    let (header, _) = answer(&json!({ "do": "simulate", "scenario": text }), QUIET);
    assert!(header["error"].as_str().unwrap().contains("does not run in a browser"), "{header}");
}

#[test]
fn a_run_is_cancelled_from_within() {
    let watch = Watch { look: Control::cancel, ..QUIET };
    let (header, _) = answer(&json!({ "do": "simulate", "scenario": SMALL }), watch);
    assert_eq!(header["error"], "the run was interrupted");
}

#[test]
fn a_quantity_is_read() {
    let (header, _) = answer(&json!({ "do": "quantity", "text": "20 ms" }), QUIET);
    assert_eq!(header["quantity"], json!([0.02, "s"]));
    let (header, _) = answer(&json!({ "do": "quantity", "text": "much" }), QUIET);
    assert_eq!(header["quantity"], Value::Null);
}

#[test]
#[should_panic(expected = "no such question")]
fn a_question_that_is_none_is_a_fault_of_the_page() {
    answer(&json!({ "do": "dance" }), QUIET);
}
