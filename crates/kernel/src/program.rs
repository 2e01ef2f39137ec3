//! A law's compiled object: its programs, and where they name maps.

use crate::Error;
use crate::btf::Btf;
use crate::relocate::{self, Note};
use object::elf::R_BPF_64_64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};

/// The programs of a law.
pub(crate) struct Programs {
    pub programs: Vec<Program>,
    btf: Btf,
    notes: Vec<Note>,
}

/// One operation of `tcp_congestion_ops`.
#[derive(Clone)]
pub(crate) struct Program {
    /// The operation's name.
    pub name: String,
    section: String,
    pub code: Vec<u64>,
    /// Instructions that load a map, and the map's name.
    maps: Vec<(usize, String)>,
}

impl Programs {
    /// Reads what clang has written.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let wrong = |e: object::Error| Error::Object(e.to_string());
        let file = object::File::parse(bytes).map_err(wrong)?;
        let data = |name: &str| {
            let section = file.section_by_name(name).ok_or_else(|| Error::Object(format!("it has no {name}")))?;
            section.data().map_err(wrong)
        };
        let btf = Btf::parse(data(".BTF")?)?;
        let notes = relocate::notes(data(".BTF.ext")?, &btf)?;
        let mut programs = Vec::new();
        for section in file.sections() {
            let section_name = section.name().map_err(wrong)?;
            let Some(name) = section_name.strip_prefix(PREFIX) else { continue };
            let code = section.data().map_err(wrong)?;
            let (code, _) = code.as_chunks::<8>();
            let mut maps = Vec::new();
            for (offset, relocation) in section.relocations() {
                let (RelocationFlags::Elf { r_type: R_BPF_64_64 }, RelocationTarget::Symbol(index)) =
                    (relocation.flags(), relocation.target())
                else {
                    return Err(Error::Object(format!("{name} has a relocation that is no map's")));
                };
                let symbol = file.symbol_by_index(index).map_err(wrong)?;
                maps.push((offset as usize / 8, symbol.name().map_err(wrong)?.to_owned()));
            }
            programs.push(Program {
                name: name.to_owned(),
                section: section_name.to_owned(),
                code: code.iter().map(|word| u64::from_le_bytes(*word)).collect(),
                maps,
            });
        }
        Ok(Self { programs, btf, notes })
    }

    /// Puts in the running kernel's offsets and the descriptors of maps, as `map` knows them by name.
    pub(crate) fn relocate(&mut self, kernel: &Btf, map: impl Fn(&str) -> Option<i32>) -> Result<(), Error> {
        for program in &mut self.programs {
            for note in self.notes.iter().filter(|note| note.section == program.section) {
                relocate::apply(note, &mut program.code, &self.btf, kernel)?;
            }
            for (instruction, name) in &program.maps {
                let descriptor = map(name).ok_or_else(|| Error::Object(format!("there is no map {name}")))?;
                let word = program
                    .code
                    .get_mut(*instruction)
                    .ok_or_else(|| Error::Object("a map has no instruction".to_owned()))?;
                *word = *word & 0xffff_0fff | IS_MAP | u64::from(descriptor as u32) << 32;
            }
        }
        Ok(())
    }
}

/// Prefix of sections with programs; the operation's name follows.
const PREFIX: &str = "struct_ops/";

/// Source register BPF_PSEUDO_MAP_FD of an instruction that loads 64 bits.
const IS_MAP: u64 = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tests::objects;

    #[test]
    fn a_law_relocated_to_its_own_types_is_what_clang_wrote() {
        // clang fills in the offsets of the law's own declarations, so that putting those in changes nothing.
        for object in objects() {
            let original = Programs::parse(object).unwrap();
            let mut programs = Programs::parse(object).unwrap();
            assert!(programs.notes.len() > 50);
            programs.relocate(&original.btf, |_| Some(0)).unwrap();
            for (program, original) in programs.programs.iter().zip(&original.programs) {
                let maps: Vec<usize> = original.maps.iter().map(|(at, _)| *at).collect();
                for (at, (now, was)) in program.code.iter().zip(&original.code).enumerate() {
                    let expected = if maps.contains(&at) { was | IS_MAP } else { *was };
                    assert_eq!(*now, expected, "{} {at}", program.name);
                }
            }
        }
    }

    #[test]
    fn a_kernel_without_a_field_gets_poison() {
        let Some(object) = objects().pop() else { return };
        let mut programs = Programs::parse(object).unwrap();
        let kernel = Btf::parse(&crate::btf::smallest()).unwrap();
        programs.relocate(&kernel, |_| Some(0)).unwrap();
        assert!(programs.programs.iter().any(|program| program.code.contains(&(0x0bad_2310 << 32 | 0x85))));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(Programs::parse(b"not an object").is_err());
        let Some(object) = objects().pop() else { return };
        assert!(Programs::parse(&object[..object.len() / 2]).is_err());
    }
}
