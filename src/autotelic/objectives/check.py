"""`check_objective`: test an objective, ours or yours, against the contract."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams, _validate
from autotelic.objectives._trial import Trial, apart, close, fault, said, same
from autotelic.objectives.base import Context, Objective
from autotelic.selectors.state import spelled

WHOLE = "a batch"


def _check_setting(objective: Objective, observation_size: int, num_goals: int) -> None:
    """It has a hash, by which compiled programs are found again, and takes these sizes or says why not."""
    try:
        hash(objective)
    except TypeError as error:
        raise fault(
            objective,
            f"it must have a hash ({error}): make it a frozen dataclass whose fields have one",
        ) from error
    try:
        answer: Any = objective.check(observation_size, num_goals)
    except (ValueError, TypeError):
        raise  # a refusal, in its own words
    except Exception as error:
        raise fault(
            objective, f"check must refuse with a ValueError that says why, got {said(error)}"
        ) from error
    if answer is not None:
        raise fault(
            objective, f"check must raise a ValueError or return nothing, it returned {answer!r}"
        )


def _check_goals(objective: Objective, num_goals: int) -> None:
    """Goals have vectors of one size, the same ones always."""
    size = objective.skill_size(num_goals)
    if not _validate.is_integer(size) or size < 1:
        raise fault(objective, f"skill_size must be a positive integer, got {size!r}")
    goals = np.arange(num_goals)
    table = np.asarray(objective.embed(jnp.asarray(goals), num_goals))
    if table.shape != (num_goals, size):
        raise fault(
            objective,
            f"embed must have the shape ({num_goals}, skill_size = {size}), got {table.shape}",
        )
    if not np.isfinite(table).all():
        raise fault(objective, f"embed must be finite, got {table}")
    embed = jax.jit(lambda goal: objective.embed(goal, num_goals))
    for some in (goals, goals[-1], np.stack([goals, goals[::-1]])):
        found = embed(some)
        if np.shape(found) != (*some.shape, size):
            raise fault(
                objective,
                f"embed must work for goals of any shape: of {some.shape} it makes "
                f"{np.shape(found)}, and not {(*some.shape, size)}",
            )
        if not close(found, table[some]):
            raise fault(objective, "embed must give the same vectors whenever it is asked")
    _check_pursuit(objective, table)


def _check_pursuit(objective: Objective, table: np.ndarray) -> None:
    """The skill of a visit is as large as a goal's, and replay keeps it where it is another."""
    num_goals, size = table.shape
    pursue = jax.jit(lambda goal, key: objective.pursue(goal, num_goals, key))
    for goal in range(num_goals):
        found = pursue(goal, jax.random.key(goal))
        if np.shape(found) != (size,) or not np.isfinite(found).all():
            raise fault(
                objective, f"pursue must give {size} finite numbers (skill_size), got {found}"
            )
        if not close(objective.pursue(jnp.asarray(goal), num_goals, jax.random.key(goal)), found):
            raise fault(objective, "pursue must give the same skill for the same key")
        if not objective.needs_skill and not close(found, table[goal]):
            raise fault(
                objective,
                "pursue varies a goal's vector, and replay keeps no skills: declare needs_skill = True",
            )


def _fresh_params(objective: Objective, observation_size: int, num_goals: int, units: int) -> Any:
    """Parameters of two learners; refuses what is no pytree of numbers, or no function of the key."""

    def init(key: jax.Array) -> Any:
        return objective.init(key, observation_size, num_goals, units)

    def traced(key: jax.Array) -> str:
        return (
            jax.jit(lambda key: init(key)).lower(key).as_text()
        )  # a new function: nothing is kept

    keys = [jax.random.key(seed) for seed in (0, 1)]
    try:
        impure = traced(keys[0]) != traced(keys[0])
        params, others = map(jax.jit(init), keys)
    except Exception as error:
        raise fault(
            objective, f"init must make a pytree of arrays from a key: {said(error)}"
        ) from error
    kinds = [str(leaf.dtype) for leaf in jax.tree.leaves(params)]
    if not kinds or not all(kind.startswith("float") for kind in kinds):
        raise fault(
            objective,
            f"init must make arrays of floating-point numbers, to be learned; got {kinds}",
        )
    if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params)):
        raise fault(objective, "init must make finite numbers")
    if impure:
        raise fault(objective, "init must make the same parameters of the same key")
    if same(params, others) and objective.learns:
        raise fault(objective, "init must make other parameters of another key")
    return params, others


def _log_prior(objective: Objective, goal: jax.Array, num_goals: int) -> jax.Array:
    """log p(g) as the reward takes it, [batch]."""
    prior = np.linspace(1.0, 2.0, num_goals)
    prior = np.stack([prior / prior.sum(), np.full(num_goals, 1 / num_goals)])
    table = np.asarray(objective.log_prior(prior))
    if table.shape != prior.shape or not np.isfinite(table).all():
        raise fault(
            objective,
            f"log_prior must be finite and have the shape of p(g), {prior.shape}, got {table}",
        )
    current, collected = jnp.asarray(table[0], jnp.float32), jnp.full(goal.shape, -1.0)
    try:
        found = objective.log_prior_of(
            goal, current, collected if objective.needs_collected_prior else None
        )
        known = np.shape(found) == goal.shape and np.isfinite(found).all()
    except Exception as error:
        raise fault(
            objective,
            f"log_prior_of fails: {said(error)}. If it reads p(g) at collection, declare "
            "needs_collected_prior = True",
        ) from error
    if not known:
        raise fault(
            objective,
            f"log_prior_of must give a finite number for each of {len(goal)} transitions, got {found}",
        )
    return found


def _transitions(
    objective: Objective, observation_size: int, num_goals: int, batch_size: int
) -> tuple[Context, jax.Array]:
    """Random transitions [batch, ...] and their goals, with no more than the objective asks for."""
    generator = _streams.generator("transitions of a check", 0)
    numbers = generator.normal(size=(3, batch_size, observation_size))
    start, before, after = (jnp.asarray(x, jnp.float32) for x in numbers)
    goal = jnp.asarray(np.arange(batch_size) % num_goals)
    ended = jnp.asarray(np.arange(batch_size) % 2, jnp.float32)
    pursue = jax.vmap(lambda goal, key: objective.pursue(goal, num_goals, key))
    context = Context(
        start if objective.needs_start else None,
        before,
        after,
        ended if objective.needs_end else None,
        jax.jit(pursue)(goal, jax.random.split(jax.random.key(2), batch_size)),
        before[:, 0] if objective.needs_reward else None,
    )
    return context, goal


def _batches(trial: Trial) -> dict[str, tuple[Context, jax.Array, jax.Array]]:
    """Batches that replay may yield, by words for messages."""
    whole = trial.context, trial.goal, trial.log_prior
    skill, goal = (jnp.broadcast_to(x[:1], x.shape) for x in (trial.context.skill, trial.goal))
    found = {WHOLE: whole}
    if trial.objective.needs_end:
        none = trial.context._replace(ended=jnp.zeros_like(trial.context.ended))
        found["a batch without an end"] = none, trial.goal, trial.log_prior
    found["a batch of one goal"] = trial.context._replace(skill=skill), goal, trial.log_prior
    found["one transition"] = jax.tree.map(lambda x: x[:1], whole)
    return found


def _learning(objective: Objective) -> Any:
    """What an update asks for: loss, gradient and rewards, of parameters and a batch."""

    def learning(params: Any, context: Context, goal: jax.Array, log_prior: jax.Array) -> Any:
        loss, gradient = jax.value_and_grad(objective.loss)(params, context, goal)
        return loss, gradient, objective.reward(params, context, goal, log_prior)

    return learning


def _check_learning(trial: Trial) -> None:
    """Losses are scalars with gradients, rewards have a row for each transition, and all are finite."""
    objective = trial.objective
    tail = (objective.skill_size(trial.num_goals),) if objective.vector_reward else ()
    plain_loss = trial.plain("loss", trial.context, trial.goal)
    trial.finite("the loss of a batch", plain_loss, ())
    plain_reward = trial.plain("reward", trial.context, trial.goal, trial.log_prior)
    program = jax.jit(_learning(objective))
    for words, batch in _batches(trial).items():
        loss, gradient, reward = trial.compiled("loss and reward", program, *batch)
        trial.finite(f"the loss of {words}", loss, ())
        if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient)):
            raise trial.fault(f"the gradient of the loss of {words} must be finite")
        trial.finite(f"the reward of {words}", reward, (len(batch[1]), *tail))
        if words == WHOLE:
            trial.alike("loss", loss, plain_loss)
            trial.alike("reward", reward, plain_reward)


def _check_judging(trial: Trial) -> None:
    """Posteriors are distributions over goals; they, competence and representation are of any shape."""
    objective, context = trial.objective, trial.context
    found = _of_any_shape(trial, "log_posteriors", (trial.num_goals,), _seen(context))
    sums = np.exp(found).sum(axis=-1)
    if not np.allclose(sums, 1.0, atol=1e-4):
        raise trial.fault(
            "log_posteriors must be logarithms of probabilities that sum to 1 over all goals, got "
            f"sums of {sums}"
        )
    if objective.gives_competence:
        _of_any_shape(trial, "competence", (), context, trial.goal)
    if objective.has_representation:
        size = objective.skill_size(trial.num_goals)
        _of_any_shape(trial, "represent", (size,), context.observation)
        ends = context.observation, context.next_observation
        _of_any_shape(trial, "skill_towards", (size,), *ends)


def _seen(context: Context) -> Context:
    """What is known where trajectories are judged."""
    return context._replace(ended=None, skill=None, reward=None)


def _of_any_shape(trial: Trial, name: str, tail: tuple[int, ...], *arguments: Any) -> np.ndarray:
    """A method's values of a batch, [batch, *tail]; those of one item and of a grid are the same."""
    count = len(trial.goal)
    plain = trial.plain(name, *arguments)
    trial.finite(f"{name} of {count} transitions", plain, (count, *tail))
    program = jax.jit(getattr(trial.objective, name))
    trial.alike(name, trial.compiled(name, program, *arguments), plain)
    for words, shape in (("one transition", ()), ("a grid of transitions", (2, count // 2))):
        items = int(np.prod(shape))
        some, expected = jax.tree.map(
            lambda x, shape=shape, items=items: x[:items].reshape((*shape, *x.shape[1:])),
            (arguments, plain),
        )
        found = trial.compiled(f"{name} of {words}", program, *some)
        if not close(found, expected):
            raise trial.fault(
                f"{name} must give {words} the same as in a batch; {apart(found, expected)}"
            )
    return plain


def _check_population(trial: Trial) -> None:
    """Two learners together are what they are alone."""
    objective = trial.objective

    def alone(params: Any, context: Context, goal: jax.Array, log_prior: jax.Array) -> Any:
        loss, _, reward = _learning(objective)(params, context, goal, log_prior)
        posteriors = objective.log_posteriors(params, _seen(context))
        return {"loss": loss, "reward": reward, "log_posteriors": posteriors}

    batch = trial.context, trial.goal, trial.log_prior
    pair = jax.tree.map(lambda *leaves: jnp.stack(leaves), trial.params, trial.others)
    twice = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), batch)
    try:
        together = jax.jit(jax.vmap(alone))(pair, *twice)
    except Exception as error:
        raise trial.fault(f"it must work under jax.vmap over learners: {said(error)}") from error
    program = jax.jit(alone)
    for index, params in enumerate((trial.params, trial.others)):
        for name, value in program(params, *batch).items():
            if not close(together[name][index], value):
                raise trial.fault(
                    f"{name} of learners together must be that of each alone; "
                    + apart(together[name][index], value)
                )


def check_objective(
    objective: Objective,
    observation_size: int = 4,
    num_goals: int = 5,
    hidden_units: int = 8,
    batch_size: int = 6,
) -> None:
    """Test an objective against the contract; raises with what is wrong, returns nothing when all is well.

    Its setting has a hash, and stays as it is. Goals have vectors of `skill_size`. Fresh parameters are a
    function of the key. Loss, gradient and reward are finite, for one transition, for a batch of one goal
    and for one without an end too. Posteriors sum to 1 over goals, and are the same of a transition alone
    and among others. Compiled or not, alone or among other learners, the numbers are the same. What
    contexts and replay have to hold (`needs_start`, `needs_end`, `needs_reward`, `needs_skill`,
    `needs_collected_prior`) is declared.

    Args:
        objective: the objective to test.
        observation_size: entries of the random observations that it is tested with.
        num_goals: how many goals it is tested with.
        hidden_units: of its networks.
        batch_size: transitions in a batch, an even number.

    >>> import autotelic as at
    >>> at.objectives.check_objective(at.objectives.Diayn(), num_goals=3)
    """
    if not isinstance(objective, Objective):
        hint = f"; make one: {objective.__name__}()" if isinstance(objective, type) else ""
        raise TypeError(f"objective must be an Objective, got {objective!r}{hint}")
    _validate.integer("batch_size", batch_size, minimum=2)
    if batch_size % 2:
        raise ValueError(f"batch_size must be even, got {batch_size}")
    _check_setting(objective, observation_size, num_goals)
    before = spelled(getattr(objective, "__dict__", {}))
    _check_goals(objective, num_goals)
    params, others = _fresh_params(objective, observation_size, num_goals, hidden_units)
    kept = jax.tree.map(np.array, params)
    context, goal = _transitions(objective, observation_size, num_goals, batch_size)
    log_prior = _log_prior(objective, goal, num_goals)
    trial = Trial(objective, num_goals, params, others, context, goal, log_prior)
    _check_learning(trial)
    _check_judging(trial)
    _check_population(trial)
    if not same(params, kept):
        raise fault(objective, "no method may change the parameters that it is given")
    if spelled(getattr(objective, "__dict__", {})) != before:
        raise fault(objective, f"no method may change the objective; it was {before}")
