#include "k8s/node/base/elf_interpreter.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <elf.h>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(elf_interpreter_)

namespace {

/// A program's headers, and the loader that it names, if any.
std::string make_program(const std::string& interpreter) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = interpreter.empty() ? 1 : 2;
  Elf64_Phdr parts[2]{};
  parts[0].p_type = PT_LOAD;
  parts[1].p_type = PT_INTERP;
  parts[1].p_offset = sizeof header + sizeof parts;
  parts[1].p_filesz = interpreter.size() + 1;
  std::string out(sizeof header + sizeof parts, '\0');
  std::memcpy(&out[0], &header, sizeof header);
  std::memcpy(&out[sizeof header], parts, sizeof parts);
  return out + interpreter + '\0';
}

} // namespace

BOOST_AUTO_TEST_CASE(a_program_names_its_loader) {
  const std::string musl = "/lib/ld-musl-x86_64.so.1";
  auto program = make_program(musl);
  BOOST_TEST(find_elf_interpreter(program).value() == musl);
  BOOST_TEST(find_elf_interpreter(make_program("")).value() == "");
  // With a sanitizer this test is larger than a file that may be read.
  std::string own(64 << 10, '\0');
  std::ifstream{"/proc/self/exe", std::ios::binary}.read(&own[0], own.size());
  BOOST_TEST(find_elf_interpreter(own).value().find("ld") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(whatever_else_a_file_is_it_names_none) {
  const auto program = make_program("/lib64/ld-linux-x86-64.so.2");
  for (std::size_t size = 0; size + 1 < program.size(); ++size)
    BOOST_TEST(!find_elf_interpreter(program.substr(0, size)).has_value());
  BOOST_TEST(!find_elf_interpreter("#!/bin/bash\n").has_value());
  auto broken = program;
  std::memset(&broken[offsetof(Elf64_Ehdr, e_phoff)], 0xff, 8);
  BOOST_TEST(!find_elf_interpreter(broken).has_value());
  broken = program;
  std::memset(&broken[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)
                      + offsetof(Elf64_Phdr, p_offset)],
              0xff, 8);
  BOOST_TEST(!find_elf_interpreter(broken).has_value());
}

BOOST_AUTO_TEST_CASE(the_library_is_for_programs_of_glibc) {
  auto obstacle = [](std::optional<std::string> interpreter) {
    return find_preload_obstacle(interpreter);
  };
  BOOST_TEST(obstacle(std::nullopt).why == "");
  BOOST_TEST(obstacle("/lib64/ld-linux-x86-64.so.2").why == "");
  BOOST_TEST(obstacle("/nix/store/x/lib/ld-linux-aarch64.so.1").why == "");
  BOOST_TEST(obstacle("").why == "/bin/sh is linked statically");
  BOOST_TEST(!obstacle("").makes_crash);
  BOOST_TEST(obstacle("/lib/ld-musl-aarch64.so.1").makes_crash);
}

BOOST_AUTO_TEST_SUITE_END()
