//! libFuzzer on [`windward_fuzz::http`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| windward_fuzz::http(data));
