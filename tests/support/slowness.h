// How much more time everything may take here than in a build that is only a little optimized: a
// sanitizer costs several times, and these tests are about what is answered.
#pragma once

namespace pgc::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
inline constexpr int kSlowness = 6;
#else
inline constexpr bool kSanitized = false;
inline constexpr int kSlowness = 1;
#endif

}  // namespace pgc::test
