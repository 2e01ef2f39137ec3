//! Compile once, run everywhere: puts the running kernel's field offsets into a law's instructions. clang notes in
//! `.BTF.ext` which instruction stands for which field (Documentation/bpf/llvm_reloc.rst in the kernel's sources).

use crate::Error;
use crate::btf::{Btf, Member};

/// One note of clang's: what of which field goes into which instruction.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    /// Name of the program's section.
    pub section: String,
    /// The instruction's index in it.
    pub instruction: usize,
    type_id: u32,
    /// Member indices, "0:3:1".
    path: String,
    kind: u32,
}

/// Reads the notes from `.BTF.ext`.
pub(crate) fn notes(extension: &[u8], local: &Btf) -> Result<Vec<Note>, Error> {
    try_notes(extension, local).ok_or_else(|| Error::Object("its relocations cannot be read".to_owned()))
}

fn try_notes(extension: &[u8], local: &Btf) -> Option<Vec<Note>> {
    let word = |at: usize| Some(u32::from_le_bytes(extension.get(at..)?.first_chunk().copied()?));
    // Header: magic, length of the header, then offset and length of the function, line and relocation parts.
    let start = word(4)? as usize + word(24)? as usize;
    let end = start + word(28)? as usize;
    let size = word(start)? as usize;
    let mut notes = Vec::new();
    let mut at = start + 4;
    while at < end {
        let (section, count) = (local.text(word(at)?), word(at + 4)?);
        at += 8;
        for _ in 0..count {
            notes.push(Note {
                section: section.to_owned(),
                instruction: word(at)? as usize / 8,
                type_id: word(at + 4)?,
                path: local.text(word(at + 8)?).to_owned(),
                kind: word(at + 12)?,
            });
            at += size;
        }
    }
    Some(notes)
}

/// Applies one note to the program's instructions.
pub(crate) fn apply(note: &Note, code: &mut [u64], local: &Btf, kernel: &Btf) -> Result<(), Error> {
    let instruction =
        code.get_mut(note.instruction).ok_or_else(|| Error::Object("a relocation has no instruction".to_owned()))?;
    let field = find(note, local, kernel)?;
    if note.kind == EXISTS {
        return set_immediate(instruction, u64::from(field.is_some()));
    }
    let Some(field) = field else {
        // Where it matters the law asks first whether the field is there; the verifier then never sees this call.
        *instruction = POISON;
        return Ok(());
    };
    let (byte, lowest) = if field.bits > 0 { (field.offset / 8, field.offset % 8) } else { (field.offset / 8, 0) };
    let value = match note.kind {
        BYTE_OFFSET => u64::from(byte),
        // A bit field is read as the byte that it begins in, shifted up to the top and down again.
        LSHIFT if field.bits > 0 && lowest + field.bits <= 8 => u64::from(64 - lowest - field.bits),
        RSHIFT if field.bits > 0 => u64::from(64 - field.bits),
        kind => return Err(Error::Object(format!("relocation {kind} of {} is not supported", note.path))),
    };
    match *instruction & 7 {
        LDX | ST | STX => {
            let access = match *instruction & 0x18 {
                0x00 => 4,
                0x08 => 2,
                0x10 => 1,
                _ => 8,
            };
            // What lies inside an array is the law's own business: its private area.
            if kernel.is_scalar(field.type_id) && kernel.size(field.type_id) != Some(access) {
                return Err(Error::TooOld(format!("its field {} has an unexpected size", describe(note, local))));
            }
            let offset = i16::try_from(value)
                .map_err(|_| Error::Object(format!("{} lies too far out", describe(note, local))))?;
            *instruction = *instruction & !0xffff_0000 | u64::from(offset as u16) << 16;
            Ok(())
        }
        _ => set_immediate(instruction, value),
    }
}

fn set_immediate(instruction: &mut u64, value: u64) -> Result<(), Error> {
    let is_alu = matches!(*instruction & 7, ALU | ALU64);
    if !is_alu && *instruction & 0xff != LOAD_IMMEDIATE {
        return Err(Error::Object(format!("a relocation meets instruction {:#x}", *instruction & 0xff)));
    }
    *instruction = *instruction & 0xffff_ffff | value << 32;
    Ok(())
}

/// The field in the running kernel, its offset from the start of the structure; `None` if it has none.
fn find(note: &Note, local: &Btf, kernel: &Btf) -> Result<Option<Member>, Error> {
    let unknown = || Error::Object(format!("its relocation {:?} cannot be followed", note.path));
    let mut indices = note.path.split(':').map(|index| index.parse::<usize>().map_err(|_| unknown()));
    // The first index is that of a pointer used as an array.
    if indices.next().ok_or_else(unknown)?? != 0 {
        return Err(unknown());
    }
    let mut id = local.resolve(note.type_id);
    let Some(mut at) = kernel.composite(local.name(id)) else { return Ok(None) };
    let mut field = Member::whole(at);
    for index in indices {
        let index = index?;
        if let Some(element) = local.element(id) {
            let Some(there) = kernel.element(at) else { return Ok(None) };
            let size = kernel.size(there).ok_or_else(unknown)?;
            field = Member { type_id: there, offset: field.offset + 8 * size * index as u32, ..field };
            id = local.resolve(element);
        } else {
            let (name, member) = local.members(id).nth(index).ok_or_else(unknown)?;
            let Some(there) = kernel.member(at, name) else { return Ok(None) };
            field = Member { offset: field.offset + there.offset, ..there };
            id = local.resolve(member.type_id);
        }
        at = kernel.resolve(field.type_id);
    }
    Ok(Some(field))
}

/// The field as C writes it, for messages.
fn describe(note: &Note, local: &Btf) -> String {
    let mut id = local.resolve(note.type_id);
    let mut text = local.name(id).to_owned();
    for index in note.path.split(':').skip(1).filter_map(|index| index.parse::<usize>().ok()) {
        if let Some(element) = local.element(id) {
            text += &format!("[{index}]");
            id = local.resolve(element);
        } else if let Some((name, member)) = local.members(id).nth(index) {
            text += &format!(".{name}");
            id = local.resolve(member.type_id);
        }
    }
    text
}

/// Kinds of relocations: enum bpf_core_relo_kind.
const BYTE_OFFSET: u32 = 0;
const EXISTS: u32 = 2;
const LSHIFT: u32 = 4;
const RSHIFT: u32 = 5;

/// Classes of instructions.
const LDX: u64 = 1;
const ST: u64 = 2;
const STX: u64 = 3;
const ALU: u64 = 4;
const ALU64: u64 = 7;

/// Opcode of the instruction that loads 64 bits.
const LOAD_IMMEDIATE: u64 = 0x18;

/// A call of a helper that cannot be: 0xbad2310, libbpf's sign for a field that is not there.
const POISON: u64 = 0x0bad_2310 << 32 | 0x85;
