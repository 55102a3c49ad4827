#pragma once

#include <memory>
#include <string>

namespace troupe::k8s::apiserver {

/// A compiled regular expression, of a schema's `pattern`. Apart from other
/// sources because std::regex takes long to compile.
struct text_pattern;

/// nullptr if the expression is not one of ECMAScript.
std::shared_ptr<const text_pattern>
compile_text_pattern(const std::string& expression);

/// Whether a part of the text matches. True for texts of 4 KiB and more, which
/// are not looked at: std::regex needs stack for each character.
bool matches(const text_pattern& pattern, const std::string& text);

} // namespace troupe::k8s::apiserver
