"""How good learners are while they learn: metrics, prequential evaluation, regret."""

from .baselines import LastValue, MajorityClass, MeanValue, NoChange
from .comparison import Comparison, compare
from .metric import Metric
from .metrics import (
    F1,
    MAE,
    R2,
    RMSE,
    ROCAUC,
    Accuracy,
    BalancedAccuracy,
    ErrorRate,
    Kappa,
    KappaM,
    KappaT,
    LogLoss,
    Precision,
    Recall,
)
from .prequential import Prequential, prequential
from .regret import Regret, regret
from .report import Report

__all__ = [
    "F1",
    "MAE",
    "R2",
    "RMSE",
    "ROCAUC",
    "Accuracy",
    "BalancedAccuracy",
    "Comparison",
    "ErrorRate",
    "Kappa",
    "KappaM",
    "KappaT",
    "LastValue",
    "LogLoss",
    "MajorityClass",
    "MeanValue",
    "Metric",
    "NoChange",
    "Precision",
    "Prequential",
    "Recall",
    "Regret",
    "Report",
    "compare",
    "prequential",
    "regret",
]
