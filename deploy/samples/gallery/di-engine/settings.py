"""DI-engine's own example of CartPole on a cluster, and what is changed."""

from dizoo.classic_control.cartpole.config.parallel.cartpole_dqn_config_k8s \
    import create_config, main_config, system_config  # noqa: F401

main_config.env.stop_value = 150  # Of 200 steps at most.
main_config.policy.learn.update(batch_size=64, learning_rate=0.002)
main_config.policy.collect.collector.update_policy_second = 1
main_config.policy.other.eps.decay = 10000  # Steps of trying at random.
create_config.commander = {"type": "telling", "import_names": ["telling"]}
# The coordinator asks for so many when it starts.
system_config.coordinator.operator_server.init_replicas_request = {
    "collectors": {"replicas": 2}, "learners": {"gpus": "0", "replicas": 1}}
