//! libFuzzer on [`windward_fuzz::recordings`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| windward_fuzz::recordings(data));
