"""The proxy's own certificate, made by openssl for one run."""

import ssl
import subprocess


def server_context(folder):
    """For 127.0.0.1; what clients are to trust is FOLDER/ca.crt."""
    certificate, key = folder / "ca.crt", folder / "server.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=apiproxy", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
