//! Intel's ISA-L, if it is installed.

use libloading::Library;
use std::ffi::c_int;

type InitTables = unsafe extern "C" fn(c_int, c_int, *const u8, *mut u8);
type EncodeData = unsafe extern "C" fn(c_int, c_int, c_int, *const u8, *const *const u8, *const *mut u8);

pub struct IsaL {
    init_tables: InitTables,
    encode_data: EncodeData,
    /// The functions are of it.
    _library: Library,
}

impl IsaL {
    pub fn load() -> Option<Self> {
        // SAFETY: the library's initialisers detect the processor; the functions have these types (erasure_code.h).
        unsafe {
            let library = Library::new("libisal.so.2").ok()?;
            let init_tables = *library.get::<InitTables>(b"ec_init_tables").ok()?;
            let encode_data = *library.get::<EncodeData>(b"ec_encode_data").ok()?;
            Some(Self { init_tables, encode_data, _library: library })
        }
    }

    /// 32 bytes for each coefficient.
    pub fn tables(&self, rows: &[Vec<u8>]) -> Vec<u8> {
        let coefficients = rows.concat();
        let mut tables = vec![0; 32 * coefficients.len()];
        let (packets, outputs) = (rows[0].len() as c_int, rows.len() as c_int);
        // SAFETY: there are packets × outputs coefficients, and room for their tables.
        unsafe { (self.init_tables)(packets, outputs, coefficients.as_ptr(), tables.as_mut_ptr()) };
        tables
    }

    pub fn encode(&self, tables: &[u8], sources: &[Vec<u8>], outputs: &mut [Vec<u8>]) {
        let from: Vec<_> = sources.iter().map(|packet| packet.as_ptr()).collect();
        let to: Vec<_> = outputs.iter_mut().map(|packet| packet.as_mut_ptr()).collect();
        let (size, packets, rows) = (sources[0].len() as c_int, from.len() as c_int, to.len() as c_int);
        // SAFETY: all packets have that size, and the tables are of so many rows.
        unsafe { (self.encode_data)(size, packets, rows, tables.as_ptr(), from.as_ptr(), to.as_ptr()) };
    }
}
