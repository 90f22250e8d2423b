//! The tests of the front ends and of patches, a module each, in one binary.

mod common;
mod dve;
mod litmus_invalid;
mod litmus_lowering;
mod litmus_robust;
mod llvm_invalid;
mod llvm_lowering;
mod llvm_robust;
mod ltl;
mod patch_corpus;
mod patch_layout;
mod rmm_invalid;
mod rmm_robust;
mod rmm_sites;
mod rmm_valid;
mod source_patch;
mod source_places;
