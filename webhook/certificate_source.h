// Where the webhook's certificate comes from: the Secret that the operator keeps, read through the
// API, or a folder that something else keeps (cert-manager, a mounted Secret). And the loop that
// looks there again and again.
#pragma once

#include <expected>
#include <functional>
#include <stop_token>
#include <string>

#include "shared/kube/client.h"
#include "shared/log/log.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

// Reads the present files; the error says where they are missing and what would be right.
using CertificateSource = std::function<std::expected<PemFiles, std::string>()>;

// `reader` must outlive the source.
CertificateSource from_secret(kube::Reader& reader, std::string ns, std::string name);
CertificateSource from_directory(std::string directory);

// Offers what the source has every few seconds, with growing pauses while it has nothing usable,
// until `stop`. A get of one object is so cheap that no watch is kept open for it. Logs what
// changes, and a failure once for as long as its text stays the same.
void follow(const CertificateSource& source, ServingCertificate& certificate, const Log& log,
            std::stop_token stop);

}  // namespace pgc::webhook
