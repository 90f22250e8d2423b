//! The suite every engine inherits.

use fencewright_engine_explicit::Explicit;

fencewright_testkit::conformance!(Explicit);
