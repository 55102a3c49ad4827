"""The benchmark's tables."""

RATIO = 1.05        # of the baseline's seconds
RATIOS = {"MPIJob2": 1.15}  # where a kind has another: it makes keys
MEMORY, CPU = 45, 2.5  # MiB at its peak and seconds, for BIG
BIG = "1000x4:TFJob", "1000x4"
EMBEDDED = 3        # seconds, for BIG


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def marked(value, limit, form="{:.1f}"):
    return form.format(value) + (" (!)" if value > limit else "")


def verbs(part):
    if not part["verbs"] and part["status_writes"]:
        return "not known"  # its metrics lack them
    counts = sorted(part["verbs"].items())
    return ", ".join(f"{v} {n}" for v, n in counts) or "none"


def served(run):
    return run["server_cpu"] + run["etcd_cpu"]


def requests_when_idle(quiet):
    most = max(sum(quiet[side].values()) for side in ("requests", "served"))
    return marked(most, 0, "{}") + f" in {quiet['seconds']} s"


def report_originals(results):
    """The MPI operator beside this one, where a load was measured with it."""
    print("\nThe same with the MPI operator:\n")
    row("load", "", "made", "seconds", "CPU", "peak", "status writes",
        "CPU until all run", "until all ended", "peak")
    row(*["---"] * 10)
    for load, result in results.items():
        for name, one in [("this operator", result["operator"]),
                          *result["originals"].items()]:
            made = one["create"]
            later = [one[part] for part in ("running", "succeeded")
                     if part in one]
            row(load, name,
                f"{made['objects'] - made['missing']} of {made['objects']}",
                f"{made['seconds']:.1f}", f"{made['cpu']:.1f}",
                f"{made['peak_mib']:.0f}", str(made["status_writes"]),
                *[f"{part['cpu']:.1f}" for part in later] or ["-", "-"],
                f"{later[-1]['peak_mib']:.0f}" if later else "-")


def report(results):
    """A table per part. `(!)` marks a missed target."""
    print("\nAll objects created (seconds, CPU seconds, MiB; API server: with "
          "etcd, under baseline and operator):\n")
    row("load", "baseline", "operator", "ratio", "CPU", "peak", "API server",
        "requests", "status writes", "in quiet seconds")
    row(*["---"] * 10)
    for load, result in results.items():
        baseline = min(result["baseline"].values(),
                       key=lambda run: run["seconds"])
        made = result["operator"]["create"]
        quiet = result["operator"].get("quiet")
        big = load in BIG
        row(load, f"{baseline['seconds']:.1f}", f"{made['seconds']:.1f}",
            marked(made["seconds"] / baseline["seconds"], RATIOS.get(
                load.partition(":")[2], RATIO), "{:.2f}"),
            marked(made["cpu"], CPU if big else 1e9),
            marked(made["peak_mib"], MEMORY if big else 1e9, "{:.0f}"),
            f"{served(baseline):.1f}, {served(made):.1f}",
            verbs(made), str(made["status_writes"]),
            requests_when_idle(quiet) if quiet else "-")
    for phase in ("running", "succeeded"):
        print(f"\nAll pods, then all jobs {phase}:\n")
        row("load", "patched", "jobs", "CPU", "peak", "requests",
            "status writes", "per job")
        row(*["---"] * 8)
        for load, result in results.items():
            if phase not in result["operator"]:
                continue
            part = result["operator"][phase]
            each = part["status_writes"] / int(load.split("x")[0])
            row(load, f"{part['patched']:.1f}", f"{part['seconds']:.1f}",
                f"{part['cpu']:.1f}", f"{part['peak_mib']:.0f}",
                verbs(part), str(part["status_writes"]),
                f"{each:.2f}")
    with_originals = {load: result for load, result in results.items()
                      if result["originals"]}
    if with_originals:
        report_originals(with_originals)
