-- SQL that SQLite and PostgreSQL share. Money: whole millionths of the currency named beside it. Instants: epoch
-- milliseconds. Yes and no: 1 and 0. Prices per hour and exchange rates are exact decimals as text, because they are
-- factors, not amounts.

create table installation (
    id         text   not null primary key,
    created_at bigint not null
);

create table evaluation (
    id         text   not null primary key,
    plan_name  text   not null,
    plan_hash  text   not null,
    plan_json  text   not null,
    currency   text   not null,
    cap        bigint not null check (cap > 0),
    status     text   not null,
    simulated  bigint not null check (simulated in (0, 1)),
    owner      text   not null,
    started_at bigint not null,
    ended_at   bigint,
    note       text   not null
);

create index evaluation_by_start on evaluation (started_at);

create table trial (
    evaluation           text   not null references evaluation (id),
    candidate            text   not null,
    provider             text   not null,
    position             bigint not null,
    simulated            bigint not null check (simulated in (0, 1)),
    cap                  bigint check (cap >= 0),
    state                text   not null,
    phase                text   not null,
    stage                text   not null,
    single_done          bigint not null check (single_done in (0, 1)),
    single_earmark       bigint not null check (single_earmark >= 0),
    verdict              text,
    reason               text   not null,
    stopped_at           text,
    coverage_environment text   not null,
    coverage_performance text   not null,
    coverage_stability   text   not null,
    primary key (evaluation, candidate)
);

create table lease (
    id               text   not null primary key,
    evaluation       text   not null,
    candidate        text   not null,
    phase            text   not null,
    ordinal          bigint not null check (ordinal >= 1),
    position         bigint not null,
    provider         text   not null,
    offer            text   not null,
    region           text   not null,
    gpu              text   not null,
    gpus             bigint not null,
    name             text   not null unique,
    token            text   not null unique,
    currency         text   not null,
    price_hourly     text   not null,
    storage_hourly   text   not null,
    increment        text   not null,
    minimum_billing  bigint not null,
    requested_at     bigint not null,
    deadline         bigint not null,
    latest_gone      bigint not null,
    reserved         bigint not null check (reserved >= 0),
    plan_currency    text   not null,
    reserved_in_plan bigint not null check (reserved_in_plan >= 0),
    fx_rate          text   not null,
    borrowed         bigint not null check (borrowed in (0, 1)),
    state            text   not null,
    fence            bigint not null check (fence >= 1),
    instance         text,
    ssh_host         text,
    ssh_port         bigint,
    ssh_user         text,
    sent_at          bigint,
    ready_at         bigint,
    release_asked_at bigint,
    released_at      bigint,
    cost             bigint check (cost >= 0),
    cost_in_plan     bigint check (cost_in_plan >= 0),
    overrun_in_plan  bigint not null check (overrun_in_plan >= 0),
    note             text   not null,
    owner            text   not null,
    unique (evaluation, candidate, phase, ordinal),
    foreign key (evaluation, candidate) references trial (evaluation, candidate)
);

create index lease_by_state on lease (state);

create table lease_event (
    lease  text   not null references lease (id),
    seq    bigint not null,
    at     bigint not null,
    type   text   not null,
    detail text   not null,
    primary key (lease, seq)
);

create table stage_run (
    id            text             not null primary key,
    evaluation    text             not null,
    candidate     text             not null,
    phase         text             not null,
    gpus          bigint           not null,
    stage         text             not null,
    lease         text             not null,
    attempt       bigint           not null,
    state         text             not null,
    read_offset   bigint           not null check (read_offset >= 0),
    progress      double precision not null,
    progress_text text             not null,
    started_at    bigint           not null,
    ended_at      bigint,
    end_word      text             not null,
    foreign key (evaluation, candidate) references trial (evaluation, candidate)
);

create index stage_run_by_evaluation on stage_run (evaluation, started_at);

create table stage_event (
    stage_run text   not null references stage_run (id),
    seq       bigint not null,
    line      text   not null,
    primary key (stage_run, seq)
);

create table stage_result (
    stage_run  text   not null primary key,
    evaluation text   not null,
    candidate  text   not null,
    phase      text   not null,
    gpus       bigint not null,
    stage      text   not null,
    lease      text   not null,
    attempt    bigint not null,
    verdict    text   not null,
    reason     text   not null,
    started_at bigint not null,
    ended_at   bigint,
    foreign key (evaluation, candidate) references trial (evaluation, candidate)
);

create index stage_result_by_trial on stage_result (evaluation, candidate, started_at);

create table measurement (
    stage_run text             not null references stage_result (stage_run),
    position  bigint           not null,
    name      text             not null,
    gpu       text,
    value     double precision not null,
    unit      text             not null,
    verdict   text             not null,
    detail    text             not null,
    primary key (stage_run, position)
);

create table finding (
    stage_run text   not null references stage_result (stage_run),
    position  bigint not null,
    code      text   not null,
    severity  text   not null,
    owner     text   not null,
    detail    text   not null,
    primary key (stage_run, position)
);

create table artifact (
    stage_run text   not null references stage_run (id),
    name      text   not null,
    sha256    text   not null,
    bytes     bigint not null,
    content   ${bytes} not null,
    primary key (stage_run, name)
);

create table audit (
    at      bigint not null,
    who     text   not null,
    what    text   not null,
    subject text   not null
);

create table owner_heartbeat (
    owner text   not null primary key,
    at    bigint not null
);
