// The fields of a scenario as sliders, choices and boxes, made from the format's schema: as _explore/fields.py does.

const LISTS = ["link", "cell", "wifi", "region", "flow", "app", "background"];
const OWN = ["duration", "warmup"];
const UNSHOWN = new Set(["name", "from", "to", "via", "return_via", "class", "title", "cite", "seeds", "output", "kind"]);
const QUANTITY = /\(([^()|\\\s]+(?:\|[^()|\\\s]+)*)\)\\s\*/;

// `schema` is the format's; `worthOf` reads a quantity: its number in a base unit, and that unit, or null.
function fieldsOf(schema, worthOf) {
  const isTable = value => value !== null && typeof value === "object" && !Array.isArray(value);
  const known = new Map();
  const worth = text => { if (!known.has(text)) known.set(text, worthOf(text)); return known.get(text); };

  function resolved(part) {
    while (part.$ref !== undefined) part = schema.$defs[part.$ref.split("/").at(-1)];
    return part;
  }
  const about = part => (part.description || resolved(part).description || "").split(/\s+/).filter(Boolean).join(" ");

  function variants(part) {
    part = resolved(part);
    const inner = [...(part.anyOf ?? []), ...(part.oneOf ?? [])];
    return inner.length ? inner.flatMap(variants) : [part];
  }
  // What is written in Python has no place on a page.
  const tags = (kinds, tag) => kinds.map(kind => kind.properties?.[tag]?.const).filter(name => name !== undefined && name !== "python");

  function variant(kinds, value, tag) {
    const tables = kinds.filter(kind => kind.properties);
    const own = tag === null ? undefined : tables.find(kind => kind.properties[tag]?.const === value[tag]);
    // A table with names of one's own has no properties.
    const free = kinds.find(kind => isTable(kind.additionalProperties)) ?? {};
    return own ?? tables.find(kind => Object.keys(value).every(name => name in kind.properties)) ?? tables[0] ?? free;
  }

  function number(kinds, value) {
    const types = kind => typeof kind.type === "string" ? [kind.type] : kind.type ?? [];
    if (kinds.some(kind => (kind.pattern ?? "").includes("%"))) return { type: "share", value, low: 0, high: 1 };
    const bounds = kinds.filter(kind => types(kind).some(type => type === "number" || type === "integer"));
    const first = name => bounds.find(kind => name in kind)?.[name];
    const isWhole = bounds.some(kind => types(kind).includes("integer"));
    return { type: isWhole && Number.isInteger(value) ? "integer" : "number", value, low: first("minimum") ?? first("exclusiveMinimum") ?? null, high: first("maximum") ?? null };
  }

  function quantityOf(kinds, value) {
    const read = worth(value);
    for (const kind of kinds) {
      const found = QUANTITY.exec(kind.pattern ?? "");
      if (!found) continue;
      const units = found[1].split("|").map(unit => [unit, worth(`1 ${unit}`)]).filter(([, one]) => one !== null);
      if (read === null) return units.length ? { type: "text", value, units: units.map(([unit]) => unit) } : null;
      const unit = value.replace(/^[\s\d.eE+_-]+/, "").trim(), own = units.find(([name]) => name === unit);
      if (!own) continue;
      // Packets, bytes and time are worth nothing in one another.
      const family = Object.fromEntries(units.filter(([, one]) => one[1] === own[1][1]).map(([name, one]) => [name, one[0]]));
      return { type: "quantity", value, worth: read[0], unit, units: family };
    }
    return null;
  }

  function fields(part, value, path, name, isWritten, written) {
    const head = { path, name, about: about(part), isWritten }, kinds = variants(part), found = [];
    if (isTable(value)) {
      const tag = ["name", "kind"].find(key => typeof value[key] === "string") ?? null, own = variant(kinds, value, tag);
      if (tag !== null) {
        const choices = [...new Set(tags(kinds, tag))];
        if (choices.includes(value[tag]) && choices.length > 1) found.push({ ...head, type: "choice", value: value[tag], choices, isTable: tag });
      }
      const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== tag));
      for (const field of ofTable(own, rest, path, isTable(written) ? written : {})) {
        // A law's numbers are what one plays with, whoever wrote them.
        field.isWritten ||= path.includes("law") && (field.type === "number" || field.type === "integer");
        found.push({ ...field, name: tag === null ? `${name} ${field.name}` : field.name });
      }
    } else if (typeof value === "boolean") found.push({ ...head, type: "switch", value });
    else if (typeof value === "number") found.push({ ...head, ...number(kinds, value) });
    else if (typeof value === "string") {
      const choices = kinds.flatMap(kind => kind.enum ?? [kind.const]);
      const quantity = choices.includes(value) ? null : quantityOf(kinds, value);
      if (choices.includes(value)) found.push({ ...head, type: "choice", value, choices: [...new Set([...choices, ...tags(kinds, "name"), ...tags(kinds, "kind")])].filter(one => one !== undefined) });
      else if (quantity !== null) found.push({ ...head, ...quantity });
    }
    return found;
  }

  function ofTable(part, table, path, written) {
    const { properties = {}, additionalProperties } = resolved(part), found = [];
    for (const [name, value] of Object.entries(table)) {
      // Tables with names of one's own, such as a formula's constants, have one schema for all.
      const inner = properties[name] ?? additionalProperties;
      if (UNSHOWN.has(name) || !isTable(inner)) continue;
      const isWritten = isTable(written) && name in written;
      for (const field of fields(inner, value, [...path, name], name, isWritten, isWritten ? written[name] : {})) {
        // A rule's buffer is not the player's.
        const isInner = field.path.length > path.length + 1 && field.name in table;
        found.push(isInner ? { ...field, name: `${name} ${field.name}` } : field);
      }
    }
    return found;
  }

  // The fields in groups: the scenario's own, then those of each link, each flow, …; what its author wrote comes first.
  return function groups(scenario, written) {
    const own = OWN.filter(name => name in scenario).flatMap(name => fields(schema.properties[name], scenario[name], [name], name, true, undefined));
    const found = [{ title: "Run", kind: "run", fields: own }];
    for (const kind of LISTS) {
      (scenario[kind] ?? []).forEach((entry, at) => {
        const title = String(entry.name || `${entry.from ?? ""}->${entry.to ?? ""}`.replace(/^[->]+|[->]+$/g, "") || kind);
        // A list may have tables of several kinds, as applications and cells are.
        const items = variants(resolved(schema.properties[kind]).items);
        const chosen = variant(items, entry, "kind" in entry && items.length > 1 ? "kind" : null);
        const inside = ofTable(chosen, entry, [kind, at], written[kind]?.[at] ?? {});
        if (inside.length) found.push({ title, kind, fields: inside });
      });
    }
    return found;
  };
}
