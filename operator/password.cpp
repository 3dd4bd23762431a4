#include "operator/password.h"

#include <openssl/rand.h>

#include <array>
#include <string_view>

namespace pgc {

std::expected<std::string, std::string> make_password() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr unsigned kFair =
      256 / kAlphabet.size() * kAlphabet.size();  // above: biased, drawn again
  constexpr std::size_t kLength = 32;
  std::string password;
  while (password.size() < kLength) {
    std::array<unsigned char, 64> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
      return std::unexpected("the random generator of OpenSSL failed");
    }
    for (const unsigned byte : bytes) {
      if (byte < kFair && password.size() < kLength) password += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return password;
}

}  // namespace pgc
