"""A small client of the API server for tests: as the administrator, past the proxy. Safe from several threads."""

import contextlib
import http.client
import json
import os
import ssl
import threading
import time
import urllib.parse

GROUPS = {
    "postgresclusters": "apis/db.example.com/v1", "statefulsets": "apis/apps/v1", "poddisruptionbudgets": "apis/policy/v1",
    "roles": "apis/rbac.authorization.k8s.io/v1", "rolebindings": "apis/rbac.authorization.k8s.io/v1", "events": "apis/events.k8s.io/v1",
    "leases": "apis/coordination.k8s.io/v1", "clusterroles": "apis/rbac.authorization.k8s.io/v1",
}  # fmt: skip
JSON, MERGE, APPLY = "application/json", "application/merge-patch+json", "application/apply-patch+yaml"


class Refused(Exception):
    def __init__(self, code, document):
        super().__init__(f"{code}: {document.get('message', document)}")
        self.code = code


def path_of(resource, namespace="", name="", subresource=""):
    parts = [GROUPS.get(resource, "api/v1"), *(("namespaces", namespace) if namespace else ()), resource, name, subresource]
    return "/" + "/".join(part for part in parts if part)


class Api:
    def __init__(self, server, ca, certificate, key):
        url = urllib.parse.urlsplit(server)
        self.server, self.host, self.port = server, url.hostname, url.port
        self.ca, self.certificate, self.key = ca, certificate, key
        self._context = ssl.create_default_context(cafile=ca)
        self._context.load_cert_chain(certificate, key)
        self._of_thread = threading.local()

    def _connect(self, timeout):
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self._context)

    def call(self, method, path, body=None, kind=JSON):
        """The answer's document; raises Refused, or OSError where there is no answer."""
        connection, self._of_thread.connection = getattr(self._of_thread, "connection", None), None
        try:
            status, text, connection = self._exchange(connection or self._connect(30), method, path, body, kind)
        except (ssl.SSLError, http.client.RemoteDisconnected, ConnectionError):
            if connection is None:
                raise
            status, text, connection = self._exchange(self._connect(30), method, path, body, kind)  # the idle one had been closed
        self._of_thread.connection = connection
        document = json.loads(text) if text.startswith(b"{") else {"message": text.decode(errors="replace")}
        if status >= 300:
            raise Refused(status, document)
        return document

    def _exchange(self, connection, method, path, body, kind):
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": kind})
        response = connection.getresponse()
        return response.status, response.read(), connection

    def get(self, resource, namespace, name):
        """The object, or None."""
        try:
            return self.call("GET", path_of(resource, namespace, name))
        except Refused as refused:
            if refused.code != 404:
                raise
            return None

    def list(self, resource, namespace="", query=""):
        return self.call("GET", path_of(resource, namespace) + query)

    def items(self, resource, namespace=""):
        return self.list(resource, namespace)["items"]

    def create(self, resource, namespace, document, subresource="", name=""):
        return self.call("POST", path_of(resource, namespace, name, subresource), document)

    def patch(self, resource, namespace, name, change, subresource=""):
        return self.call("PATCH", path_of(resource, namespace, name, subresource), change, MERGE)

    def delete(self, resource, namespace, name, **options):
        """Whether it was there."""
        try:
            self.call("DELETE", path_of(resource, namespace, name), {"apiVersion": "v1", "kind": "DeleteOptions", **options})
        except Refused as refused:
            if refused.code != 404:
                raise
            return False
        return True

    def watch(self, resource, version, selector=""):
        """(type, object) of each event, until the server ends the watch."""
        query = urllib.parse.urlencode({"watch": 1, "resourceVersion": version, "labelSelector": selector, "timeoutSeconds": 240})
        connection = self._connect(300)
        with contextlib.closing(connection):
            connection.request("GET", path_of(resource) + "?" + query)
            response = connection.getresponse()
            while line := response.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                yield event["type"], event["object"]


def wait_for(what, seconds, probe, pause=0.05, tell=None):
    """Polls until probe() is true; gives (value, seconds it took). `tell` says what stands instead, for the failure.

    Where the machine has more to do than it has CPUs for, the wait is longer by as much.
    """
    begun = time.monotonic()
    seconds *= max(1, os.getloadavg()[0] / os.cpu_count())
    while True:
        value = probe()
        took = time.monotonic() - begun
        if value:
            return value, took
        assert took < seconds, f"{what}: not within {seconds:.0f} s" + (f"\n{tell()}" if tell else "")
        time.sleep(pause)
