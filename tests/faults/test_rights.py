"""The operator runs with the rights of manifests/rbac: none was missing so far, and which it did not need."""


def _granted(lab):
    for role, namespace in (("clusterroles", ""), ("roles", "pgc-system")):
        for rule in lab.api.get(role, namespace, "pgc-operator")["rules"]:
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    yield from ((verb, group, *(resource.split("/") + [""])[:2]) for verb in rule["verbs"])


def test_no_right_is_missing(lab, reference):
    assert reference
    stage = lab.stage("rights")
    operator = lab.operator("rights", stage.namespace, lease="pgc-system")  # all others have theirs where no shipped Role is
    operator.start().wait_until_watching()
    operator.stop()
    rights = lab.proxy.tell("rights")["rights"]
    # The Roles of the other Leases were made a moment before, and the API server does not know them at once.
    refused = [f"{one['verb']} {one['resource']} {one['subresource']}" for one in rights if one["missing"] and one["resource"] != "leases"]
    used = {(one["verb"], one["group"], one["resource"], one["subresource"]) for one in rights}
    granted = set(_granted(lab))
    unused = sorted(f"{verb} {resource}{'/' if sub else ''}{sub}" for verb, _, resource, sub in granted - used)
    print(f"\n{len(granted)} rights, {len(granted & used)} used so far; not used: {', '.join(unused)}")
    assert refused == []
