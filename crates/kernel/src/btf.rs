//! BPF Type Format: the kernel's and the laws' descriptions of their types
//! (Documentation/bpf/btf.rst in the kernel's sources).

use crate::Error;

/// A parsed description of types; type ids are indices, 0 is `void`.
#[derive(Debug)]
pub(crate) struct Btf {
    types: Vec<Type>,
    strings: Vec<u8>,
}

#[derive(Debug)]
struct Type {
    name: u32,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A number, or anything else of so many bytes.
    Sized(u32),
    /// A pointer.
    Pointer,
    /// typedef, const, volatile, …: another name of a type.
    Alias(u32),
    Array {
        element: u32,
        count: u32,
    },
    /// A struct or union.
    Composite {
        size: u32,
        members: Vec<Member>,
    },
    Enum {
        size: u32,
        values: Vec<(u32, u32)>,
    },
    /// Types without size: functions, declarations.
    Other,
}

/// A member of a struct or union.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub name: u32,
    pub type_id: u32,
    /// From the start of the structure, in bits.
    pub offset: u32,
    /// 0 where it is no bit field.
    pub bits: u32,
}

/// Reads little-endian words.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*word))
    }
}

impl Btf {
    /// Parses a `.BTF` section or /sys/kernel/btf/vmlinux.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        Self::try_parse(bytes).ok_or_else(|| Error::Object("its type description cannot be read".to_owned()))
    }

    fn try_parse(bytes: &[u8]) -> Option<Self> {
        let mut header = Reader { bytes };
        if header.u32()? & 0xffff != 0xeb9f {
            return None;
        }
        let length = header.u32()? as usize;
        let mut part = || {
            let offset = length.checked_add(header.u32()? as usize)?;
            bytes.get(offset..)?.get(..header.u32()? as usize)
        };
        let mut reader = Reader { bytes: part()? };
        let strings = part()?.to_vec();
        let mut types = vec![Type { name: 0, kind: Kind::Other }];
        while !reader.bytes.is_empty() {
            types.push(Type::read(&mut reader)?);
        }
        Some(Self { types, strings })
    }

    /// The string at `offset`.
    pub(crate) fn text(&self, offset: u32) -> &str {
        let rest = self.strings.get(offset as usize..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        std::str::from_utf8(&rest[..end]).unwrap_or("")
    }

    fn kind(&self, id: u32) -> &Kind {
        self.types.get(id as usize).map_or(&Kind::Other, |t| &t.kind)
    }

    /// The name of type `id`.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.types.get(id as usize).map_or("", |t| self.text(t.name))
    }

    /// The id of the struct or union `name`.
    pub(crate) fn composite(&self, name: &str) -> Option<u32> {
        let is_it = |t: &Type| matches!(t.kind, Kind::Composite { .. }) && self.text(t.name) == name;
        self.types.iter().position(is_it).map(|id| id as u32)
    }

    /// The value of the enumerator `name`, of whatever enumeration.
    pub(crate) fn enumerator(&self, name: &str) -> Option<u32> {
        self.types.iter().find_map(|t| match &t.kind {
            Kind::Enum { values, .. } => values.iter().find(|&&(at, _)| self.text(at) == name).map(|&(_, value)| value),
            _ => None,
        })
    }

    /// The members of a struct or union, and their names.
    pub(crate) fn members(&self, id: u32) -> impl Iterator<Item = (&str, &Member)> {
        let members: &[Member] = match self.kind(id) {
            Kind::Composite { members, .. } => members,
            _ => &[],
        };
        members.iter().map(|member| (self.text(member.name), member))
    }

    /// The member `name`, also inside anonymous structs and unions; its offset counts from the start of `id`.
    pub(crate) fn member(&self, id: u32, name: &str) -> Option<Member> {
        self.members(id).find_map(|(own, member)| match own {
            "" => {
                let inner = self.member(self.resolve(member.type_id), name)?;
                Some(Member { offset: member.offset + inner.offset, ..inner })
            }
            _ => (own == name).then_some(*member),
        })
    }

    /// The type behind typedefs and qualifiers.
    pub(crate) fn resolve(&self, mut id: u32) -> u32 {
        while let Kind::Alias(other) = *self.kind(id) {
            id = other;
        }
        id
    }

    /// Element type of an array.
    pub(crate) fn element(&self, id: u32) -> Option<u32> {
        match *self.kind(self.resolve(id)) {
            Kind::Array { element, .. } => Some(element),
            _ => None,
        }
    }

    /// True for a single number or pointer, false for composite types.
    pub(crate) fn is_scalar(&self, id: u32) -> bool {
        matches!(self.kind(self.resolve(id)), Kind::Sized(_) | Kind::Pointer | Kind::Enum { .. })
    }

    /// Size of a type in bytes.
    pub(crate) fn size(&self, id: u32) -> Option<u32> {
        match *self.kind(self.resolve(id)) {
            Kind::Sized(size) | Kind::Composite { size, .. } | Kind::Enum { size, .. } => Some(size),
            Kind::Pointer => Some(8),
            Kind::Array { element, count } => self.size(element)?.checked_mul(count),
            Kind::Alias(_) | Kind::Other => None,
        }
    }
}

impl Type {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (name, info, size) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let (count, is_flagged) = (info & 0xffff, info >> 31 != 0);
        let kind = match info >> 24 & 0x1f {
            // INT, with one word more; FLOAT.
            1 => reader.u32().map(|_| Kind::Sized(size))?,
            16 => Kind::Sized(size),
            2 => Kind::Pointer,
            3 => {
                let (element, _index, count) = (reader.u32()?, reader.u32()?, reader.u32()?);
                Kind::Array { element, count }
            }
            4 | 5 => Kind::Composite {
                size,
                members: (0..count).map(|_| Member::read(reader, is_flagged)).collect::<Option<_>>()?,
            },
            6 => Kind::Enum {
                size,
                values: (0..count).map(|_| Some((reader.u32()?, reader.u32()?))).collect::<Option<_>>()?,
            },
            // ENUM64: name, low and high word.
            19 => {
                let value = |reader: &mut Reader<'_>| {
                    let value = (reader.u32()?, reader.u32()?);
                    reader.u32().map(|_high| value)
                };
                Kind::Enum { size, values: (0..count).map(|_| value(reader)).collect::<Option<_>>()? }
            }
            // TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG.
            8..=11 | 18 => Kind::Alias(size),
            // FUNC_PROTO: two words a parameter; VAR and DECL_TAG one; DATASEC three a variable; FWD and FUNC none.
            other => {
                let words = match other {
                    13 => 2 * count,
                    14 | 17 => 1,
                    15 => 3 * count,
                    7 | 12 => 0,
                    _ => return None,
                };
                (0..words).try_for_each(|_| reader.u32().map(drop))?;
                Kind::Other
            }
        };
        Some(Self { name, kind })
    }
}

impl Member {
    /// The whole of type `type_id` as if it were a member.
    pub(crate) fn whole(type_id: u32) -> Self {
        Self { name: 0, type_id, offset: 0, bits: 0 }
    }

    fn read(reader: &mut Reader<'_>, has_bits: bool) -> Option<Self> {
        let (name, type_id, offset) = (reader.u32()?, reader.u32()?, reader.u32()?);
        Some(if has_bits {
            Self { name, type_id, offset: offset & 0x00ff_ffff, bits: offset >> 24 }
        } else {
            Self { name, type_id, offset, bits: 0 }
        })
    }
}

/// The smallest description that the kernel takes: one int.
pub(crate) fn smallest() -> Vec<u8> {
    let header = [0x0001_eb9f, 24, 0, 16, 16, 5];
    let int = [1, 1 << 24, 4, 1 << 24 | 32];
    let mut bytes: Vec<u8> = header.iter().chain(&int).flat_map(|word: &u32| word.to_le_bytes()).collect();
    bytes.extend(b"\0int\0");
    bytes
}
