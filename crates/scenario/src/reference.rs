//! The reference page of the format, written from its schema.

use crate::scenario::schema;
use serde_json::{Map, Value};
use std::fmt::Write;
use windward_units::{
    BitRate, Bytes, Decibels, Distance, Duration, Frequency, Packets, PowerLevel, Quantity, Speed, SymbolRate,
};

/// The reference page of the format, as Markdown.
pub fn reference() -> String {
    let schema = schema();
    let mut page = Page { schema: &schema, text: String::new() };
    page.text.push_str(
        "# The scenario file\n\n\
         <!-- Generated from crates/scenario/src/format: `cargo run -p windward-scenario --example reference`. -->\n\n\
         A scenario is a TOML file, or JSON or Python objects with the same fields. Keys that are not on this page and\n\
         invalid values are refused; the message gives the place and the allowed values.\n\n",
    );
    page.quantities();
    page.fields("The file", &schema);
    for list in ["output", "node", "link", "cell", "wifi", "region", "change", "flow", "app", "background"] {
        let field = &schema["properties"][list];
        let heading = if field["type"] == "array" { format!("[[{list}]]") } else { format!("[{list}]") };
        let target = field.get("items").unwrap_or(field);
        let name = definition_name(target).expect("the lists of a file hold tables with a definition of their own");
        match list {
            "cell" => page.section("`[[cell]]`, slotted", list, "Cell"),
            _ => page.section(&format!("`{heading}`"), list, name),
        }
        match list {
            "output" => {
                page.section("`air` of the output", "airspan", "AirSpan");
                page.section("A window of `windows`", "window", "Window");
            }
            "link" => {
                page.section("`rate` of a link, as a table", "recordedrate", "RecordedRate");
                page.section("`delay` of a link, as a table", "recordeddelay", "RecordedDelay");
                page.section("`queue` of a link", "queue", "Queue");
                page.section("`reverse` of a link", "reverse", "Reverse");
                page.section("`loss` of a link, as a table", "lossmodel", "LossModel");
                page.section("`hold` of a link", "hold", "Hold");
                page.section("`jitter` of a link", "jitter", "Jitter");
                page.section("`reorder` of a link", "reorder", "Reorder");
            }
            "cell" => {
                page.section("`[[cell.station]]`", "station", "Station");
                page.section("`amc` of a cell", "amc", "Amc");
                page.section("A mode of `amc`", "mode", "Mode");
                page.section("`fading` of a cell or station", "fading", "Fading");
                page.section("`scheduler` of a cell", "scheduler", "Scheduler");
                page.section("`average` of a cell", "average", "Average");
                page.section("`repair` of a cell", "repair", "Repair");
                page.section("`[[cell]]` of LTE and NR", "rancell", "RanCell");
                page.section("`[[cell.station]]` of LTE and NR", "ranstation", "RanStation");
                page.section("`[[cell.station.bearer]]` of LTE and NR", "ranbearer", "RanBearer");
                page.section("`adaptation` of an LTE or NR cell", "adaptation", "Adaptation");
                page.section("`harq` of an LTE or NR cell", "harq", "Harq");
                page.section("`uplink` of an LTE or NR cell", "uplinkgrants", "UplinkGrants");
                page.section("`rlc` of an LTE or NR cell", "rlc", "Rlc");
                page.section("`pdcp` of an LTE or NR cell", "pdcp", "Pdcp");
                page.section("`drx` of an LTE or NR cell", "drx", "Drx");
                page.section("`[[cell.site]]` of LTE and NR", "ransite", "RanSite");
                page.section("`handover` of an LTE or NR cell", "handover", "Handover");
            }
            "wifi" => {
                page.section("`[[wifi.station]]`", "wifistation", "WifiStation");
                page.section("`layout` of a station", "layout", "Layout");
                page.section("`motion` of a station", "motion", "Motion");
                page.section("A `point` of waypoints", "waypoint", "Waypoint");
                page.section("`access` of a wireless network", "access", "Access");
                page.section("`routing` of a wireless network", "routing", "Routing");
                page.section("`timing` of a wireless network", "wifitiming", "WifiTiming");
                page.section("`reach` of a wireless network", "wifireach", "WifiReach");
                page.section("`path_loss` of `reach`", "pathloss", "PathLoss");
                page.section("`noise` of a wireless network", "wifinoise", "WifiNoise");
                page.section("`[[wifi.loss]]`", "linkloss", "LinkLoss");
                page.section("`rate_control` of 802.11n, ac and ax", "ratecontrol", "RateControl");
                page.section("A fixed rate", "fixedrate", "FixedRate");
                page.section("`ampdu` of 802.11n, ac and ax", "ampdu", "Ampdu");
                page.section("`block_ack` of 802.11n, ac and ax", "blockack", "BlockAck");
                page.section("`txq` of 802.11n, ac and ax", "transmitqueues", "TransmitQueues");
                page.section("`edca` of 802.11n, ac and ax", "edca", "Edca");
                page.section("An access category of `edca`", "contention", "Contention");
            }
            "region" => {
                page.section("A `limit` of half-spaces", "limit", "Limit");
                page.section("A `state` of fading", "channelstate", "ChannelState");
            }
            "change" => {
                page.section("`leo` of a change", "leo", "Leo");
                page.section("A `step` of a change", "changestep", "ChangeStep");
            }
            "flow" => {
                page.section("`law` of a flow", "law", "LawSpec");
                page.section("`connections` of a flow", "connections", "Connections");
                page.section("`coding` of a flow", "coding", "Coding");
                page.section("`small_queues` of a flow", "smallqueues", "SmallQueues");
                page.section("`write` of a flow", "write", "Write");
                page.section("`read` of a flow or an application", "read", "Read");
                page.section("`receive_buffer` of a flow or an application", "autotuning", "Autotuning");
                page.section("`send_buffer` of a flow or an application", "sendautotuning", "SendAutotuning");
            }
            "app" => {
                page.section("`tcp` of an application", "tcp", "Tcp");
                page.section("`arrivals` of requests or of a session", "arrivals", "Arrivals");
                page.section("A given arrival", "arrivaltime", "ArrivalTime");
                page.section("`response` of requests or `size` of a session, as a table", "sizes", "Sizes");
                page.section("A point of a distribution of sizes", "sizepoint", "SizePoint");
                page.section("`rule` of a video", "rule", "Rule");
                page.section("An object of a page", "pageobject", "PageObject");
                page.section("`video` of a call", "callvideo", "CallVideo");
            }
            "background" => page.section("`pattern` of a background source", "pattern", "Pattern"),
            _ => {}
        }
    }
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    page.text
}

struct Page<'a> {
    schema: &'a Value,
    text: String,
}

impl Page<'_> {
    /// Quantities and their units.
    fn quantities(&mut self) {
        fn row<T: Quantity>(text: &mut String) {
            let units: Vec<_> = T::unit_names().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(text, "| {} | `\"{}\"` | {} |", T::KIND, T::EXAMPLE, units.join(" "));
        }
        self.text.push_str(
            "## Quantities\n\nA quantity is a string of a number and a unit; `1e6` and `1_000` are numbers too.\n\n\
             | quantity | example | units |\n|---|---|---|\n",
        );
        row::<Duration>(&mut self.text);
        row::<BitRate>(&mut self.text);
        row::<Bytes>(&mut self.text);
        row::<Packets>(&mut self.text);
        row::<Decibels>(&mut self.text);
        row::<Frequency>(&mut self.text);
        row::<Distance>(&mut self.text);
        row::<Speed>(&mut self.text);
        row::<PowerLevel>(&mut self.text);
        row::<SymbolRate>(&mut self.text);
        self.text.push_str(
            "\n`k`, `M`, `G` and `T` are powers of 1000, `Ki`, `Mi` and `Gi` of 1024. `µ` is U+00B5 or U+03BC. Coordinates may\n\
             be negative, other distances may not. A probability is a number from 0 to 1, or a string in per cent, `\"1 %\"`.\n\
             A name has 1 to 64 characters, no white space and no slash.\n\n",
        );
    }

    /// Writes the section of a definition: its fields, or those of each of its kinds.
    fn section(&mut self, heading: &str, anchor: &str, name: &str) {
        let definition = &self.schema["$defs"][name];
        let _ = write!(self.text, "<a id=\"{anchor}\"></a>\n\n");
        let Some(kinds) = definition["oneOf"].as_array() else { return self.fields(heading, definition) };
        let _ = write!(self.text, "## {heading}\n\n{}\n\n", description(definition));
        for kind in kinds {
            let (tag, word) = tag(kind).expect("tables of several kinds are told apart by a constant");
            let _ = write!(self.text, "### `{tag} = {word}`\n\n{}\n\n", description(kind));
            self.table(kind, Some(tag));
        }
        if name == "LawSpec" {
            self.others();
        }
    }

    /// Writes TFRC and laws in Python, which are not part of the registry.
    fn others(&mut self) {
        let alternatives = self.schema["$defs"]["Flow"]["properties"]["law"]["anyOf"].as_array();
        for law in alternatives.into_iter().flatten() {
            let Some((_, word)) = tag(law) else { continue };
            let _ = write!(self.text, "### `name = {word}`\n\n{}\n\n", description(law));
            self.table(law, Some("name"));
        }
    }

    fn fields(&mut self, heading: &str, definition: &Value) {
        let _ = write!(self.text, "## {heading}\n\n{}\n\n", description(definition));
        self.table(definition, None);
    }

    /// Writes the fields of a table, except the one that decides its kind.
    fn table(&mut self, definition: &Value, tag: Option<&str>) {
        let empty = Map::new();
        let properties = definition["properties"].as_object().unwrap_or(&empty);
        let required = definition["required"].as_array().map_or(&[][..], Vec::as_slice);
        let fields: Vec<_> = properties.iter().filter(|(key, _)| Some(key.as_str()) != tag).collect();
        if fields.is_empty() {
            self.text.push_str("No parameters.\n\n");
            return;
        }
        self.text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
        for (key, field) in fields {
            let default = match field.get("default") {
                Some(Value::Array(_) | Value::Object(_)) => String::new(),
                Some(value) => format!("`{value}`"),
                None if required.contains(&Value::from(key.as_str())) => "**required**".to_owned(),
                None => String::new(),
            };
            let _ = writeln!(self.text, "| `{key}` | {} | {default} | {} |", self.kind(field), description(field));
        }
        self.text.push('\n');
    }

    /// Allowed values, in words.
    fn kind(&self, value: &Value) -> String {
        if let Some(name) = definition_name(value) {
            let target = &self.schema["$defs"][name];
            let is_tagged =
                target["oneOf"].as_array().is_some_and(|kinds| kinds.iter().all(|kind| tag(kind).is_some()));
            let anchor = match name {
                "LawSpec" => "law".to_owned(),
                name => name.to_lowercase(),
            };
            return if is_tagged || target.get("properties").is_some() {
                format!("[table](#{anchor})")
            } else {
                self.kind(target)
            };
        }
        if let Some(kinds) = value["anyOf"].as_array().or_else(|| value["oneOf"].as_array()) {
            let mut kinds: Vec<_> =
                kinds.iter().filter(|kind| kind["type"] != "null").map(|kind| self.kind(kind)).collect();
            kinds.dedup();
            return kinds.join(", ");
        }
        if let Some(value) = value.get("const") {
            return format!("`{value}`");
        }
        if let Some(words) = value["enum"].as_array() {
            return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        }
        if let Some(examples) = value["examples"].as_array() {
            return examples.iter().map(|example| format!("`{example}`")).collect::<Vec<_>>().join(", ");
        }
        let kind = value["type"].as_str().or_else(|| value["type"][0].as_str()).unwrap_or("table");
        match kind {
            "string" => "string".to_owned(),
            "boolean" => "true, false".to_owned(),
            "array" => format!("list of: {}", self.kind(&value["items"])),
            "integer" | "number" => range(kind, value),
            _ if tag(value).is_some() => "[table](#law)".to_owned(),
            _ => match value["properties"].as_object() {
                Some(fields) => {
                    let field = |(key, value)| format!("{{ {key} = {} }}", self.kind(value));
                    fields.iter().map(field).collect()
                }
                None => kind.to_owned(),
            },
        }
    }
}

/// A number with its range.
fn range(kind: &str, value: &Value) -> String {
    match (value.get("minimum"), value.get("maximum"), value.get("exclusiveMinimum")) {
        (Some(min), Some(max), _) => format!("{kind} {min} to {max}"),
        (Some(min), None, _) => format!("{kind} from {min}"),
        (_, _, Some(min)) => format!("{kind} above {min}"),
        _ => kind.to_owned(),
    }
}

/// The key that decides the kind of a table, and its value.
fn tag(table: &Value) -> Option<(&str, &Value)> {
    let properties = table["properties"].as_object()?;
    properties.iter().find_map(|(key, value)| Some((key.as_str(), value.get("const")?)))
}

/// Definition that a schema refers to, directly or as one that may also be null.
fn definition_name(value: &Value) -> Option<&str> {
    let reference = value["$ref"].as_str();
    let nullable = || match value["anyOf"].as_array()?.as_slice() {
        [one, null] if null["type"] == "null" => one["$ref"].as_str(),
        _ => None,
    };
    reference.or_else(nullable)?.strip_prefix("#/$defs/")
}

/// Doc comment of a definition or field, each paragraph on one line.
fn description(value: &Value) -> String {
    let text = value["description"].as_str().unwrap_or_default();
    let paragraphs: Vec<_> = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
    paragraphs.join("\n\n")
}
