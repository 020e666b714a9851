//! The parts of the ELF format that an image's sizes and another container need. 32 bits, little-endian, as all our targets
//! are.

/// Flash of the emulated boards begins at 0, of the RP2040 at 0x1000_0000; memory begins here.
const MEMORY: u32 = 0x2000_0000;
/// Memory of the ESP32-C3, as data and as code; sections of its stack and of the code seen as data need none of their own.
const ESP32C3_MEMORY: [std::ops::Range<u32>; 2] =
    [0x3fc8_0000..0x3fce_0000, 0x4037_c000..0x403e_0000];
const ESP32C3_DOUBLES: [&str; 2] = [".stack", ".rwdata_dummy"];
const ESP32C3_STACK: u32 = 16 * 1024;
const RISC_V: usize = 243;
const LOADED: u32 = 1;
const SYMBOLS: u32 = 2;
const ALLOCATED: u32 = 2;

/// An image.
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
}

struct Section {
    name_at: u32,
    kind: u32,
    flags: u32,
    address: u32,
    offset: u32,
    size: u32,
    link: u32,
}

/// Bytes and the address they are loaded to.
pub(super) type Segment<'a> = (u32, &'a [u8]);

impl<'a> Elf<'a> {
    /// Looks at the header.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        match bytes.get(..6) {
            Some([0x7f, b'E', b'L', b'F', 1, 1]) => Ok(Self { bytes }),
            _ => Err("is no 32-bit little-endian ELF file".to_owned()),
        }
    }

    fn word(&self, at: usize) -> u32 {
        let word = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_le_bytes(word.unwrap_or_default())
    }

    fn half(&self, at: usize) -> usize {
        usize::from((self.word(at) & 0xffff) as u16)
    }

    fn slice(&self, offset: u32, size: u32) -> &'a [u8] {
        let (offset, size) = (offset as usize, size as usize);
        self.bytes.get(offset..offset + size).unwrap_or_default()
    }

    fn sections(&self) -> Vec<Section> {
        let (table, size, count) = (self.word(32) as usize, self.half(46), self.half(48));
        let section = |at: usize| Section {
            name_at: self.word(at),
            kind: self.word(at + 4),
            flags: self.word(at + 8),
            address: self.word(at + 12),
            offset: self.word(at + 16),
            size: self.word(at + 20),
            link: self.word(at + 24),
        };
        (0..count).map(|index| section(table + index * size)).collect()
    }

    /// Segments for flash, in order of address.
    pub(super) fn flash_contents(&self) -> Vec<Segment<'a>> {
        let (table, size, count) = (self.word(28) as usize, self.half(42), self.half(44));
        let headers = (0..count).map(|index| table + index * size);
        let loaded = headers.filter(|&at| self.word(at) == LOADED && self.word(at + 16) > 0);
        let mut segments: Vec<Segment<'_>> = loaded
            .map(|at| (self.word(at + 12), self.slice(self.word(at + 4), self.word(at + 16))))
            .collect();
        segments.sort_by_key(|(address, _)| *address);
        segments
    }

    fn is_risc_v(&self) -> bool {
        self.half(18) == RISC_V
    }

    /// Bytes from the first to the last in flash. The ESP32-C3's segments are copied or mapped to places of their own: the sum of all.
    pub(super) fn flash_bytes(&self) -> u32 {
        let segments = self.flash_contents();
        if self.is_risc_v() {
            return segments.iter().map(|(_, bytes)| bytes.len() as u32).sum();
        }
        let end = segments.iter().map(|(address, bytes)| address + bytes.len() as u32).max();
        let begin = segments.iter().map(|(address, _)| *address).min();
        end.unwrap_or(0) - begin.unwrap_or(0)
    }

    /// Bytes of variables in memory, and of code that runs there.
    pub(super) fn variable_bytes(&self) -> u32 {
        let sections = self.sections();
        let names = sections.get(self.half(50)).map(|it| self.slice(it.offset, it.size));
        let is_double = |section: &Section| {
            let rest = names.and_then(|it| it.get(section.name_at as usize..)).unwrap_or_default();
            let name = rest.split(|byte| *byte == 0).next().unwrap_or_default();
            ESP32C3_DOUBLES.iter().any(|it| it.as_bytes() == name)
        };
        let in_memory = |section: &&Section| match self.is_risc_v() {
            true => {
                ESP32C3_MEMORY.iter().any(|it| it.contains(&section.address)) && !is_double(section)
            }
            false => section.address >= MEMORY,
        };
        let allocated = sections.iter().filter(|it| it.flags & ALLOCATED != 0);
        allocated.filter(in_memory).map(|section| section.size).sum()
    }

    /// Bytes of memory that are kept for the stack; on the ESP32-C3 it has what is left, and needs no more than the Pico's.
    pub(super) fn stack_bytes(&self) -> Option<u32> {
        if self.is_risc_v() {
            return (self.symbol("_stack_start")? - self.symbol("_stack_end")? >= ESP32C3_STACK)
                .then_some(ESP32C3_STACK);
        }
        Some(self.symbol("_stack_start")? - self.symbol("_stack_end")?)
    }

    fn symbol(&self, name: &str) -> Option<u32> {
        let sections = self.sections();
        let table = sections.iter().find(|section| section.kind == SYMBOLS)?;
        let names = sections.get(table.link as usize)?;
        let names = self.slice(names.offset, names.size);
        let entries = (table.offset..table.offset + table.size).step_by(16);
        let is_it = |entry: &u32| {
            let name_at = self.word(*entry as usize) as usize;
            let rest = names.get(name_at..).unwrap_or_default();
            rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
        };
        entries.into_iter().find(is_it).map(|entry| self.word(entry as usize + 4))
    }
}
