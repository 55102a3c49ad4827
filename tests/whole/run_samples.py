"""What several tests of `troupe run` give it."""

# A program.
FOREVER = "import time\nprint('begun')\nwhile True: time.sleep(1)  # {}"

MANIFEST = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: typo
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
          - name: tensorflow
            image: none
            command: ["true"]
"""
