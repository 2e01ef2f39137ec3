//! HTTP/1.1, the part of it that a download needs.
