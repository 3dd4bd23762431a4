#include "operator/password.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>

namespace pgc {

std::expected<std::string, std::string> make_password() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr unsigned kFair = 256 / kAlphabet.size() * kAlphabet.size();  // above: biased, drawn again
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

std::string decode_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return {};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

}  // namespace pgc
